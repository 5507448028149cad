import type { AddressInfo } from 'node:net';
import { siteHosts } from '@webkiln/contract';
import { listen } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { createHttpServer, drainHttp } from '@webkiln/http';
import { peerState } from '@webkiln/rpc';
import { processTls } from '@webkiln/runtime';
import { DailySalts } from '../salts/daily-salts.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import { AddressRateLimiter } from './address-rate-limiter.ts';
import { GroupCommit } from './group-commit.ts';
import { PixelHandler } from './pixel-handler.ts';
import { PublishedSites } from './published-sites.ts';
import { ViewsPublisher } from './views-publisher.ts';

interface Settings {
  readonly SITES_ORIGIN: string;
  readonly VIEWS_PER_ADDRESS: number;
  readonly HTTP_PORT: number;
  readonly BIND_ADDRESS: string;
}

/** Accepts views over HTTP. Follows `connectEvents` and `connectPeersOf`; NATS and peers may still be down. */
export async function startIngest(
  { SITES_ORIGIN, VIEWS_PER_ADDRESS, HTTP_PORT, BIND_ADDRESS }: Settings,
  stream: ViewsStream,
  timeouts: { readonly ackTimeoutMs?: number } = {},
) {
  const bus = theBus();
  const sites = new PublishedSites({ canAsk: () => peerState('projects-templates') === 'ready' });
  listen('internal.site.changed', ({ data }) => sites.invalidate(data.name));
  // Operators decide rarely, and the event names no sites.
  listen('internal.organization.changed', () => sites.invalidateAll());
  const handler = new PixelHandler({
    siteNameOf: siteHosts(new URL(SITES_ORIGIN).hostname, []),
    sites,
    rateLimiter: new AddressRateLimiter(VIEWS_PER_ADDRESS),
    salts: new DailySalts({ bus, bucket: `${stream.name}_salts` }),
    groupCommit: new GroupCommit({ publisher: new ViewsPublisher(bus, stream, timeouts) }),
  });
  const server = createHttpServer(handler.handle, processTls());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(HTTP_PORT, BIND_ADDRESS, resolve));
  return { port: (server.address() as AddressInfo).port, drain: () => drainHttp(server) };
}
