import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { outcomeHeader } from '@webkiln/messages';
import type { CallContext } from '../protocol/call-context.ts';

const outcomeOf = ({ error }: CallContext): string[] => (error === undefined ? [] : [outcomeHeader, `${error.status} ${error.code}`]);

export function sendJson(response: ServerResponse, status: number, json: string, context: CallContext = { caller: undefined }): void {
  if (response.headersSent || response.destroyed) return;
  const length = String(Buffer.byteLength(json));
  response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', length, ...outcomeOf(context)]).end(json);
}

/** Sends a response of the SDK; a stream part by part, as it comes. */
export async function sendResponse(response: ServerResponse, from: Response, context: CallContext): Promise<void> {
  if (response.destroyed) return void (await from.body?.cancel());
  const type = from.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream')) {
    const text = await from.text();
    return text === '' ? void response.writeHead(from.status).end() : sendJson(response, from.status, text, context);
  }
  response.writeHead(from.status, Object.fromEntries(from.headers));
  await pipeline(Readable.fromWeb(from.body as ReadableStream), response).catch(() => undefined);
}
