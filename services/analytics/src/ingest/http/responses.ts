import type { ServerResponse } from 'node:http';
import type { AppError } from '@webkiln/contract';

/** One transparent pixel, 43 bytes; as a string, which goes out in one piece with the headers. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64').toString('latin1');

const always = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
const ofGif = [...always, 'Content-Type', 'image/gif', 'Content-Length', String(gif.length)];
const comeBack = ['Retry-After', '2'];

/** The usual answer to GET /t.gif, whether or not a view was counted; HEAD has it without the bytes. */
export function sendGif(response: ServerResponse): void {
  response.writeHead(200, ofGif);
  response.end(gif, 'latin1');
}

/** The usual answer to POST /api/collect, whether or not views were counted. */
export function sendNothing(response: ServerResponse): void {
  response.writeHead(204, [...always]);
  response.end();
}

/** The platform's envelope of an error, and the headers that its status needs. */
export function sendProblem(response: ServerResponse, { message, code, details, status }: AppError, more: readonly string[] = []): void {
  const body = JSON.stringify({ error: message, code, ...(details.length > 0 && { details }) });
  const type = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(body))];
  response.writeHead(status, [...always, ...type, ...(status === 503 ? comeBack : []), ...more]);
  response.end(body);
}
