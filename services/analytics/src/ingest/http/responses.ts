import type { ServerResponse } from 'node:http';
import type { AppError } from '@webkiln/contract';

/** A transparent pixel, 43 bytes. As a string, it goes out in one piece with the headers. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64').toString('latin1');

const commonHeaders = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
const gifHeaders = [...commonHeaders, 'Content-Type', 'image/gif', 'Content-Length', String(gif.length)];
const retryHeaders = ['Retry-After', '2'];

/** The usual response to GET /t.gif, whether or not a view was counted. HEAD gets it without a body. */
export function sendGif(response: ServerResponse): void {
  response.writeHead(200, gifHeaders);
  response.end(gif, 'latin1');
}

/** The usual response to POST /api/collect, whether or not views were counted. */
export function sendNoContent(response: ServerResponse): void {
  response.writeHead(204, [...commonHeaders]);
  response.end();
}

/** Sends the platform's error envelope with the headers that its status requires. */
export function sendError(
  response: ServerResponse,
  { message, code, details, status }: AppError,
  extraHeaders: readonly string[] = [],
): void {
  const body = JSON.stringify({ error: message, code, ...(details.length > 0 && { details }) });
  const type = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(body))];
  response.writeHead(status, [...commonHeaders, ...type, ...(status === 503 ? retryHeaders : []), ...extraHeaders]);
  response.end(body);
}
