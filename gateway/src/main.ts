import type { AddressInfo } from 'node:net';
import { closeEvents, connectEvents, eventsOptions } from '@webkiln/events/listening';
import { drainHttp } from '@webkiln/http';
import { closePeers, connectPeersOf, peerState } from '@webkiln/rpc';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { GatewayConfig } from './config.ts';
import { openContext } from './context.ts';
import { createEntrances } from './entrances.ts';
import { createHttpServer } from './http-server.ts';
import { serverLimits } from './in-flight/limits.ts';
import { openCustomDomains } from './proxy/custom-domains.ts';
import { dispatchByHost } from './proxy/dispatch-by-host.ts';
import { openProxies } from './proxy/open-proxies.ts';
import { slowRefusedForms } from './rate-limit/slowed-forms.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(GatewayConfig);
  await connectEvents(config.NATS_URL, 'gateway', eventsOptions(config));
  connectPeersOf('gateway', config);

  const context = openContext(config);
  const proxies = openProxies(config, context.clientAddress);
  const entrances = createEntrances(config, context, proxies.identity);
  const domains = {
    sites: new URL(config.SITES_ORIGIN).hostname,
    previews: new URL(config.PREVIEW_ORIGIN).hostname,
    origin: new URL(config.ORIGIN).hostname,
  };
  const hosts = dispatchByHost(domains, openCustomDomains(), {
    sites: slowRefusedForms(context.slowedRefusals, proxies.sites.handle),
    analytics: proxies.analytics.handle,
    origin: entrances.origin,
    mcp: entrances.mcp,
  });
  const server = createHttpServer(hosts, serverLimits(config));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.PORT, resolve));

  return {
    ports: { http: (server.address() as AddressInfo).port },
    checks: { identity: () => assertReachable('identity') },
    async stop() {
      await drainHttp(server, () => entrances.closeStreams());
      await proxies.close();
      await context.close();
      await closePeers();
      await closeEvents();
    },
  };
}

function assertReachable(service: 'identity'): void {
  if (peerState(service) !== 'ready') throw new Error(`${service} is unreachable`);
}

await runService('gateway', start);
