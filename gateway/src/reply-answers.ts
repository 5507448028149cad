import type { Answers, Exchange } from './answer.ts';
import { csvHeaders, tableText, wantsCsv } from './csv.ts';
import { pageHeaders } from './links.ts';
import type { Operation } from './operation.ts';

interface FileReply {
  readonly file: { readonly content_type: string; readonly sha256: string };
  readonly content: Uint8Array;
}

interface Replied {
  readonly operation: Operation;
  /** Below the API's address. */
  readonly path: string;
  readonly request: Record<string, unknown>;
  readonly reply: object;
  readonly replayed: boolean;
}

/** Answers with what a service replied, as the contract and the caller want it. */
export class ReplyAnswers {
  readonly #answers: Answers;
  readonly #baseUrl: string;

  constructor({ answers, baseUrl }: { answers: Answers; baseUrl: string }) {
    this.#answers = answers;
    this.#baseUrl = baseUrl;
  }

  send(exchange: Exchange, { operation, path, request, reply, replayed }: Replied) {
    const headers = replayed ? ['Idempotent-Replayed', 'true'] : [];
    if (operation.present === 'file') return this.#file(exchange, reply as FileReply);
    const { etag, total } = reply as { etag?: string; total?: number };
    if (etag !== undefined && etag !== '') {
      headers.push('ETag', etag);
      if (operation.endpoint.method === 'GET' && exchange.request.headers['if-none-match'] === etag) {
        return this.#answers.send(exchange, 304, undefined, headers);
      }
    }
    if (operation.isList) headers.push(...pageHeaders(`${this.#baseUrl}${path}`, request, total ?? 0));
    if (operation.endpoint.method === 'DELETE' && prefersMinimal(exchange.request.headers.prefer)) {
      return this.#answers.send(exchange, 204, undefined, ['Preference-Applied', 'return=minimal']);
    }
    const { csv, success } = operation.endpoint;
    if (csv !== undefined) {
      headers.push('Vary', 'Accept');
      if (wantsCsv(exchange.request.headers.accept)) {
        return this.#answers.send(exchange, success, tableText(csv, reply), [...csvHeaders(csv), ...headers]);
      }
    }
    this.#answers.json(exchange, success, JSON.stringify(operation.present(reply)), headers);
  }

  /** A customer's file, from our own origin: it must come down as data, never as a page of ours. */
  #file(exchange: Exchange, { file, content }: FileReply): void {
    const etag = `"${file.sha256}"`;
    const headers = ['Content-Type', file.content_type, ...asData, 'ETag', etag];
    const unchanged = exchange.request.headers['if-none-match'] === etag;
    this.#answers.send(exchange, unchanged ? 304 : 200, unchanged ? undefined : content, headers);
  }
}

const asData = ['Content-Disposition', 'attachment', 'Content-Security-Policy', 'sandbox'];

/** RFC 7240 §4.2 */
const prefersMinimal = (prefer: string | string[] | undefined) =>
  prefer !== undefined &&
  String(prefer)
    .split(',')
    .some((preference) => /^\s*return\s*=\s*"?minimal"?\s*$/i.test(preference));
