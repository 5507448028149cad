import { closeEvents, connectEvents, eventsOptions, startRelay } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { eventsPerMinute, startErasure } from '@webkiln/org-policy';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { type RunningService, runService } from '@webkiln/runtime';
import { connectStoreOf, disconnectStore, migrateCommand, prepareStore } from '@webkiln/store';
import { AnalyticsConfig } from './config.ts';
import { startIngest } from './ingest/start-ingest.ts';
import { serveAnalytics } from './server.ts';
import { ViewsStream } from './views/views-stream.ts';
import { startWorkers, type Workers } from './workers/workers.ts';

const bytesPerMb = 1024 * 1024;

async function start(config: AnalyticsConfig): Promise<RunningService> {
  await connectEvents(config.NATS_URL, 'analytics', eventsOptions(config));
  connectPeersOf('analytics', config);
  const views = new ViewsStream(theBus(), { maxBytes: config.VIEWS_STREAM_MB * bytesPerMb });
  const ingest = config.ANALYTICS_ROLE === 'workers' ? undefined : await startIngest(config, views);
  let workers: Workers | undefined;
  const stopping = new AbortController();
  // Ingest needs no MongoDB, so the start does not wait for it.
  void connectStoreOf('analytics', config)
    .then(() => prepareStore('analytics', config, { signal: stopping.signal }))
    .then(() => {
      if (config.ANALYTICS_ROLE === 'ingest' || stopping.signal.aborted) return;
      startRelay(eventsPerMinute);
      workers = startWorkers(views, config.ANALYTICS_PARTITIONS);
      startErasure('analytics');
    })
    .catch((error: unknown) => {
      // A process that stops has given up on its store.
      if (!stopping.signal.aborted) throw error;
    });
  const verifier = createVerifier({ service: 'analytics', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const rpc = await serveAnalytics({ ...config, verifier });

  return {
    ports: { ...(ingest && { http: ingest.port }), grpc: rpc.port },
    async stop() {
      stopping.abort();
      // Requests in flight are answered once their views are on the stream.
      await Promise.all([ingest?.drain(), rpc.drain(), workers?.stop()]);
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('analytics', AnalyticsConfig, start, migrateCommand('analytics'));
