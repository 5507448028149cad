import type { ServerResponse } from 'node:http';
import type { AppError } from '@webkiln/contract';

const texts: Readonly<Record<number, string>> = {
  400: 'This address is not valid.\n',
  408: 'Your request arrived too slowly. Send it again.\n',
  429: 'Too many requests at once come from your network. Try again in a few seconds.\n',
  503: 'This site cannot be reached right now. Try again in a few seconds.\n',
};

/** Refuses a visitor of a site: people read it, so it is a plain sentence. */
export function refuseVisitor(response: ServerResponse, { status, code }: AppError): void {
  if (response.headersSent || response.destroyed) return;
  const text = texts[status] ?? texts[503] ?? '';
  const retry = status === 429 || status === 503 ? ['Retry-After', code === 'unavailable' ? '2' : '1'] : [];
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
  response.writeHead(status, [...headers, ...retry, 'Content-Length', String(Buffer.byteLength(text))]).end(text);
}
