import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { overflowColumn, type PagedCsv } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call, type MethodName, type RequestOf } from '@webkiln/rpc';
import { csvHeaders, csvText } from './csv.ts';
import type { Exchange } from './exchange.ts';
import { onDisconnectCancelLast } from './on-disconnect.ts';
import type { ResponseWriter } from './response-writer.ts';

/** Limit for the whole export, including the time that a slow client takes to read it. */
const timeoutMs = 120_000;
/**
 * Further columns share the overflow column: form field names are chosen by visitors and must not widen the table
 * without limit.
 */
const maxExtraColumns = 200;

interface ExportRequest {
  readonly rpc: MethodName;
  readonly csv: PagedCsv;
  /** Request of the first page. */
  readonly request: object;
  readonly caller: Caller;
}

type FetchPage = (request: object) => Promise<object>;

/**
 * Streams a CSV export of many pages. Each page is fetched after the client has read the one before, so memory stays
 * flat.
 */
export class CsvExport {
  readonly #responses: ResponseWriter;
  readonly #pageTimeoutMs: number;

  constructor({ responses, timeoutMs }: { responses: ResponseWriter; timeoutMs: number }) {
    this.#responses = responses;
    this.#pageTimeoutMs = timeoutMs;
  }

  /** An error after the first row cuts the connection: an export that ends normally is complete. */
  async send(exchange: Exchange, { rpc, csv, request, caller }: ExportRequest): Promise<void> {
    const endsAt = Date.now() + timeoutMs;
    const fetchPage = this.#pageFetcher(exchange.response, rpc, caller, endsAt);
    // The service audits the export before it answers.
    const first = await fetchPage({ ...request, is_export: exchange.request.method !== 'HEAD' });
    const headers = [...csvHeaders(csv), 'Vary', 'Accept', 'X-Total-Count', String((first as { total?: number }).total ?? 0)];
    const pages = () => pagesFrom(first, csv, request, fetchPage);
    const extraColumns = await collectExtraColumns(csv, pages());
    if (csv.next(request, first) === undefined) {
      return this.#responses.send(exchange, 200, `${header(csv, extraColumns)}${csvText(csv.rows(first, extraColumns))}`, headers);
    }
    this.#responses.begin(exchange, 200, headers);
    if (exchange.request.method === 'HEAD') return void exchange.response.end();
    const signal = AbortSignal.timeout(Math.max(1, endsAt - Date.now()));
    await pipeline(Readable.from(lines(csv, extraColumns, pages())), exchange.response, { signal }).catch(rethrowUnlessAborted);
  }

  /** Cancels the page in flight when the client disconnects. */
  #pageFetcher(response: ServerResponse, rpc: MethodName, caller: Caller, endsAt: number): FetchPage {
    const onCancel = onDisconnectCancelLast(response);
    return (request) => {
      const deadlineAt = Math.min(Date.now() + this.#pageTimeoutMs, endsAt);
      return call(rpc, request as RequestOf<MethodName>, { ...caller, deadlineAt, onCancel });
    };
  }
}

/** Yields the first reply, then the following pages. Records created after the first page was read are not included. */
async function* pagesFrom(first: object, csv: PagedCsv, request: object, fetchPage: FetchPage): AsyncGenerator<object, void, undefined> {
  let [current, reply] = [request, first];
  for (;;) {
    yield reply;
    const next = csv.next(current, reply);
    if (next === undefined) return;
    [current, reply] = [next, await fetchPage(next)];
  }
}

async function collectExtraColumns(csv: PagedCsv, pages: AsyncIterable<object>): Promise<string[]> {
  const names = new Set<string>();
  for await (const page of pages) {
    for (const name of csv.extraColumns(page)) names.add(names.size < maxExtraColumns || names.has(name) ? name : overflowColumn);
  }
  return [...names];
}

const header = (csv: PagedCsv, extraColumns: readonly string[]) => csvText([[...csv.columns, ...extraColumns]]);

async function* lines(
  csv: PagedCsv,
  extraColumns: readonly string[],
  pages: AsyncIterable<object>,
): AsyncGenerator<string, void, undefined> {
  yield header(csv, extraColumns);
  for await (const page of pages) yield csvText(csv.rows(page, extraColumns));
}

/** A client that disconnects or exceeds the time limit is not an error of ours. */
function rethrowUnlessAborted(error: unknown): void {
  const { code, name } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && name !== 'AbortError') throw error;
}
