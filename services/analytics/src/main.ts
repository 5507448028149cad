import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { closePeers, connectPeers } from '@webkiln/rpc';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes } from '@webkiln/store';
import { AnalyticsConfig } from './config.ts';
import { startIngest } from './ingest/start-ingest.ts';
import { serveAnalytics } from './server.ts';
import { ViewsStream } from './views/views-stream.ts';
import { startCounting } from './workers/start-counting.ts';
import type { Workers } from './workers/workers.ts';

const bytesPerMb = 1024 * 1024;

async function start(): Promise<RunningService> {
  const config = readConfig(AnalyticsConfig);
  await connectEvents(config.NATS_URL, 'analytics', { subjectPrefix: config.EVENTS_PREFIX });
  connectPeers({
    issuer: 'analytics',
    signingKey: config.PRINCIPAL_SIGNING_KEY,
    transport: config.RPC_TRANSPORT,
    addresses: { 'projects-templates': config.PROJECTS_TEMPLATES_ADDRESS },
  });
  const views = new ViewsStream(theBus(), { maxBytes: config.VIEWS_STREAM_MB * bytesPerMb });
  const ingest = config.ANALYTICS_ROLE === 'workers' ? undefined : await startIngest(config, views);
  let workers: Workers | undefined;
  // Views are taken without it: a start does not wait for MongoDB.
  void connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_analytics`)
    .then(ensureIndexes)
    .then(() => {
      if (config.ANALYTICS_ROLE !== 'ingest') workers = startCounting(views, config.ANALYTICS_PARTITIONS);
    });
  const rpc = await serveAnalytics(config);

  return {
    ports: { ...(ingest && { http: ingest.port }), grpc: rpc.port },
    async stop() {
      // What is in hand is answered when it is on the stream.
      await Promise.all([ingest?.drain(), rpc.drain(), workers?.stop()]);
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('analytics', start);
