import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { CollectedEvent } from './collected-events.ts';
import { queriedPath } from './queried-path.ts';
import { hostOf } from './referrer-host.ts';
import { viewedPath } from './viewed-path.ts';

const address = /^https?:\/\/([^/?#]*)(\/[^?#]*)?/i;
const longestId = 100;

/** The view that a request for /t.gif counts: of the page that `p` says, else of the one it was loaded from; undefined when there is none. */
export function pixelView({ url = '', headers }: IncomingMessage): CollectedEvent | undefined {
  const written = queriedPath(url) ?? ownPath(headers);
  const path = written === undefined ? undefined : viewedPath(written);
  if (path === undefined) return undefined;
  return { id: requestId(headers), path, referrer: '', at: undefined };
}

function ownPath({ referer, host = '' }: IncomingHttpHeaders): string | undefined {
  const [, from, path = '/'] = (referer !== undefined && address.exec(referer)) || [];
  return from !== undefined && hostOf(from) === hostOf(host) ? path : undefined;
}

/** A gateway tries again where a replica does not answer, whether or not that has counted: the same request is one view. */
function requestId({ 'x-webkiln-request-id': id }: IncomingHttpHeaders): string {
  return typeof id === 'string' ? id.slice(0, longestId) : '';
}
