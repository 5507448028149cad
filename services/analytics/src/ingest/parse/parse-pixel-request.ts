import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parsePagePath } from './page-path.ts';
import type { CollectedEvent } from './parse-collect-body.ts';
import { stripPort } from './referrer-host.ts';

const address = /^https?:\/\/([^/?#]*)(\/[^?#]*)?/i;
const pathParameter = /[?&]p=([^&#]*)/;
const maxRequestIdLength = 100;

/**
 * Parses a request for /t.gif. The page is the parameter `p`, else the page in `Referer` if it is of the same host.
 * Returns undefined if neither is a valid path.
 */
export function parsePixelRequest({ url = '', headers }: IncomingMessage): CollectedEvent | undefined {
  const written = parsePathParameter(url) ?? parseRefererPath(headers);
  const path = written === undefined ? undefined : parsePagePath(written);
  if (path === undefined) return undefined;
  return { id: requestId(headers), path, referrer: '', at: undefined };
}

function parseRefererPath({ referer, host = '' }: IncomingHttpHeaders): string | undefined {
  const [, from, path = '/'] = (referer !== undefined && address.exec(referer)) || [];
  return from !== undefined && stripPort(from) === stripPort(host) ? path : undefined;
}

/** The gateway may retry a request on another replica. The request id makes both one view. */
function requestId({ 'x-webkiln-request-id': id }: IncomingHttpHeaders): string {
  return typeof id === 'string' ? id.slice(0, maxRequestIdLength) : '';
}

/** Decodes the parameter `p` of a request target. Returns undefined if it is absent, "" if it is malformed. */
function parsePathParameter(url: string): string | undefined {
  const written = pathParameter.exec(url)?.[1];
  if (written === undefined) return undefined;
  const spaced = written.includes('+') ? written.replaceAll('+', ' ') : written;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return ''; // invalid UTF-8
  }
}
