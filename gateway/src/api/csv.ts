import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Csv, overflowColumn, type PagedCsv } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call, type MethodName, type RequestOf } from '@webkiln/rpc';
import { type Exchange, onDisconnectCancelLast } from './exchange.ts';
import type { ResponseWriter } from './response-writer.ts';

/** Limit for the whole export, including the time that a slow client takes to read it. */
const exportTimeoutMs = 120_000;
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
    const endsAt = Date.now() + exportTimeoutMs;
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

type Cell = string | number | null;

/** Spreadsheets run text that starts like this as a formula (CSV injection). */
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

function formatCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** CSV text by RFC 4180. */
export const csvText = (rows: readonly (readonly Cell[])[]): string => rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');

/** One reply as CSV, with its header row. */
export function csvDocument(csv: Csv | PagedCsv, reply: object): string {
  const extraColumns = 'extraColumns' in csv ? csv.extraColumns(reply) : [];
  return csvText([[...csv.columns, ...extraColumns], ...csv.rows(reply, extraColumns)]);
}

/** Content type (RFC 4180, RFC 7111) and the file name under which browsers save the export. */
export const csvHeaders = ({ filename }: Csv): string[] => [
  'Content-Type',
  'text/csv; charset=utf-8; header=present',
  'Content-Disposition',
  `attachment; filename="${filename}"`,
];

/** True if the Accept header (RFC 9110 §12.5.1) names text/csv and weights it above JSON. */
export const prefersCsv = (accept: string | undefined): boolean =>
  accept !== undefined && qualityOf(accept, 'text/csv') > qualityOf(accept, 'application/json');

/** True if the request asks for everything as CSV, and not for one page. */
export const wantsWholeCsv = (
  { limit, offset, cursor }: Readonly<Record<string, string | undefined>>,
  accept: string | undefined,
): boolean => [limit, offset, cursor].every((value) => value === undefined) && prefersCsv(accept);

function qualityOf(accept: string, type: string): number {
  const ranges = accept.split(',').map((range) =>
    range
      .trim()
      .toLowerCase()
      .split(';')
      .map((parameter) => parameter.trim()),
  );
  const named = ranges.find(([name]) => name === type);
  if (named === undefined) return 0;
  const quality = named.find((parameter) => parameter.startsWith('q='));
  return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
}
