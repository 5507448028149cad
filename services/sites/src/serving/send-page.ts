import type { ServerResponse } from 'node:http';
import type { PlainPage } from './plain-page.ts';

export function sendPage(response: ServerResponse, { status, headers, body }: PlainPage): void {
  response.writeHead(status, [...headers]).end(body);
}

/** For as long as the deploy is live, so it is asked for each time. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(301, ['Location', location, 'Cache-Control', 'no-cache', 'Content-Length', '0']).end();
}
