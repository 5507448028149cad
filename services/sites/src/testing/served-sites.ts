import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '@webkiln/http';
import { connectTo } from '@webkiln/rpc/testing';
import { Contents } from '../contents/contents.ts';
import { ResolutionCache } from '../resolutions/resolution-cache.ts';
import { resolvePreview, resolveSite } from '../resolutions/resolve.ts';
import { previews, publishedSites } from '../serving/domain.ts';
import { FramedPages } from '../serving/preview/framed-pages.ts';
import { LargeFiles } from '../serving/send-file.ts';
import { Visits } from '../serving/visits.ts';
import type { FakePublisher } from './fake-publisher.ts';
import { type VisitOptions, visit } from './visit.ts';

const mb = 1024 * 1024;

/** Runs the HTTP listener of sites in this process; `await using` stops it. */
export async function serveSites(
  published: FakePublisher,
  {
    feedIsLive = () => true,
    cacheBytes = 64 * mb,
    unsentBytes = 128 * mb,
    unsentBytesPerNetwork = 128 * mb,
    abuseContact = undefined as string | undefined,
  } = {},
) {
  const replica = await published.serve();
  const peers = connectTo('carried', [replica.port]);
  const resolutions = new ResolutionCache({ resolve: resolveSite, feedIsLive, isReachable: () => true });
  const drafts = new ResolutionCache({ resolve: resolvePreview, feedIsLive: () => false, isReachable: () => true });
  const contents = new Contents(cacheBytes);
  const largeFiles = new LargeFiles({ contents, maxUnsentBytes: unsentBytes, maxUnsentBytesPerNetwork: unsentBytesPerNetwork });
  const live = publishedSites('sites.test', ['preview.test'], resolutions, abuseContact);
  const domains = [live, previews('preview.test', drafts, new FramedPages('https://app.test'))];
  const server = createHttpServer(new Visits({ domains, contents, largeFiles }).handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    resolutions,
    visit: (path: string, visitor: VisitOptions = {}) => visit(port, path, visitor),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await peers[Symbol.asyncDispose]();
      await replica.drain();
    },
  };
}
