import type { IncomingMessage } from 'node:http';
import { queriedPath } from './queried-path.ts';
import { hostOf } from './referrer-host.ts';
import { viewedPath } from './viewed-path.ts';

const address = /^https?:\/\/([^/?#]*)(\/[^?#]*)?/i;

/** The page that a request for /t.gif counts: what `p` says, else the one it was loaded from; undefined when there is none. */
export function pageOfPixel({ url = '', headers }: IncomingMessage): string | undefined {
  const written = queriedPath(url) ?? ownPath(headers.referer, headers.host ?? '');
  return written === undefined ? undefined : viewedPath(written);
}

function ownPath(referer: string | undefined, host: string): string | undefined {
  const [, from, path = '/'] = (referer !== undefined && address.exec(referer)) || [];
  return from !== undefined && hostOf(from) === hostOf(host) ? path : undefined;
}
