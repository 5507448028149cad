import type { AddressInfo } from 'node:net';
import { siteNames } from '@webkiln/contract';
import { closeEvents, connectEvents, feedIsLive, listen, onFeedRestored } from '@webkiln/events';
import { closePeers, connectPeers, peerState } from '@webkiln/rpc';
import { createHttpServer, drainHttp, type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes } from '@webkiln/store';
import { SitesConfig } from './config.ts';
import { Contents } from './contents/contents.ts';
import { Resolutions } from './resolutions/resolutions.ts';
import { serveSites } from './server.ts';
import { Visits } from './serving/visits.ts';

const bytesPerMb = 1024 * 1024;

async function start(): Promise<RunningService> {
  const config = readConfig(SitesConfig);
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_sites`);
  await ensureIndexes();
  await connectEvents(config.NATS_URL, 'sites');
  connectPeers({
    issuer: 'sites',
    signingKey: config.PRINCIPAL_SIGNING_KEY,
    transport: config.RPC_TRANSPORT,
    addresses: { 'projects-templates': config.PROJECTS_TEMPLATES_ADDRESS },
  });

  const resolutions = new Resolutions({ feedIsLive, canAsk: () => peerState('projects-templates') === 'ready' });
  listen('internal.site.changed', ({ data }) => resolutions.distrust(data.name));
  onFeedRestored(() => resolutions.distrustAll());

  const visits = new Visits({
    resolutions,
    contents: new Contents(config.SITES_CACHE_MB * bytesPerMb),
    nameOf: siteNames(new URL(config.SITES_ORIGIN).hostname),
  });
  const server = createHttpServer(visits.handle);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));
  const rpc = await serveSites(config);

  return {
    ports: { http: (server.address() as AddressInfo).port, grpc: rpc.port },
    async stop() {
      await Promise.all([drainHttp(server), rpc.drain(), closeEvents()]);
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('sites', start);
