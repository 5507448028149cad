import type { AddressInfo } from 'node:net';
import { siteNames } from '@webkiln/contract';
import { listen } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { peerState } from '@webkiln/rpc';
import { createHttpServer, drainHttp } from '@webkiln/runtime';
import { DailySalts } from '../salts/daily-salts.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import { AddressLimit } from './address-limit.ts';
import { Commits } from './commits.ts';
import { KnownSites } from './known-sites.ts';
import { Pixel } from './pixel.ts';
import { ViewsPublisher } from './views-publisher.ts';

interface Settings {
  readonly SITES_ORIGIN: string;
  readonly VIEWS_PER_ADDRESS: number;
  readonly HTTP_PORT: number;
  readonly BIND_ADDRESS: string;
}

interface Patience {
  /** What a message has to be acknowledged. */
  readonly ackWithinMs?: number;
}

/** Takes views over HTTP; `connectEvents` and `connectPeers` come first, and neither NATS nor a peer needs to be there yet. */
export async function startIngest(
  { SITES_ORIGIN, VIEWS_PER_ADDRESS, HTTP_PORT, BIND_ADDRESS }: Settings,
  stream: ViewsStream,
  patience: Patience = {},
) {
  const bus = theBus();
  const sites = new KnownSites({ canAsk: () => peerState('projects-templates') === 'ready' });
  listen('internal.site.changed', ({ data }) => sites.forget(data.name));
  const pixel = new Pixel({
    nameOf: siteNames(new URL(SITES_ORIGIN).hostname),
    sites,
    limit: new AddressLimit(VIEWS_PER_ADDRESS),
    salts: new DailySalts({ bus, bucket: `${stream.name}_salts` }),
    commits: new Commits({ publisher: new ViewsPublisher(bus, stream, patience) }),
  });
  const server = createHttpServer(pixel.handle);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(HTTP_PORT, BIND_ADDRESS, resolve));
  return { port: (server.address() as AddressInfo).port, drain: () => drainHttp(server) };
}
