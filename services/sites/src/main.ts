import type { AddressInfo } from 'node:net';
import { closeEvents, connectEvents, feedIsLive, listen, onFeedRestored } from '@webkiln/events/listening';
import { closePeers, connectPeers, peerState } from '@webkiln/rpc';
import { drainHttp, type RunningService, readConfig, runService } from '@webkiln/runtime';
import { SitesConfig } from './config.ts';
import { Contents } from './contents/contents.ts';
import { Resolutions } from './resolutions/resolutions.ts';
import { createHttpServer } from './serving/http-server.ts';
import { siteNames } from './serving/site-name.ts';
import { Visits } from './serving/visits.ts';

const bytesPerMb = 1024 * 1024;

async function start(): Promise<RunningService> {
  const config = readConfig(SitesConfig);
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

  return {
    ports: { http: (server.address() as AddressInfo).port },
    async stop() {
      await drainHttp(server);
      await closePeers();
      await closeEvents();
    },
  };
}

await runService('sites', start);
