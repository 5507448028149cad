import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type LongCsv, otherColumns } from '@webkiln/contract';
import { type Caller, call, type MethodName, type RequestOf } from '@webkiln/rpc';
import type { Answers, Exchange } from './answer.ts';
import { csvHeaders, csvText } from './csv.ts';
import { onceGone } from './once-gone.ts';

/** How long all of a table may take, its reader's slowness included. */
const withinMs = 120_000;
/** More further columns than these share one, so that what visitors name does not make a table wider without end. */
const mostFurther = 200;

interface Wanted {
  readonly rpc: MethodName;
  readonly csv: LongCsv;
  /** For the first page. */
  readonly request: object;
  readonly caller: Caller;
}

type Ask = (request: object) => Promise<object>;

/** Sends a table that is longer than one answer: page after page, each asked for when the one before has been taken. */
export class WholeTable {
  readonly #answers: Answers;
  /** Of one page. */
  readonly #timeoutMs: number;

  constructor({ answers, timeoutMs }: { answers: Answers; timeoutMs: number }) {
    this.#answers = answers;
    this.#timeoutMs = timeoutMs;
  }

  /** What fails when rows are on their way cuts the connection: a table that comes to its end is whole. */
  async send(exchange: Exchange, { rpc, csv, request, caller }: Wanted): Promise<void> {
    const endsAt = Date.now() + withinMs;
    const ask = this.#asking(exchange.response, rpc, caller, endsAt);
    const first = await ask(request);
    const headers = [...csvHeaders(csv), 'Vary', 'Accept', 'X-Total-Count', String((first as { total?: number }).total ?? 0)];
    const pages = () => pagesFrom(first, csv, request, ask);
    const further = await furtherColumns(csv, pages());
    if (csv.next(request, first) === undefined) {
      return this.#answers.send(exchange, 200, `${header(csv, further)}${csvText(csv.rows(first, further))}`, headers);
    }
    this.#answers.begin(exchange, 200, headers);
    if (exchange.request.method === 'HEAD') return void exchange.response.end();
    const signal = AbortSignal.timeout(Math.max(1, endsAt - Date.now()));
    await pipeline(Readable.from(lines(csv, further, pages())), exchange.response, { signal }).catch(unlessCut);
  }

  /** Asks for one page after another, as long as there is somebody to hear of it, and time. */
  #asking(response: ServerResponse, rpc: MethodName, caller: Caller, endsAt: number): Ask {
    let cancel: (() => void) | undefined;
    onceGone(response, () => cancel?.());
    return (request) => {
      const deadlineAt = Math.min(Date.now() + this.#timeoutMs, endsAt);
      const onCancel = (begun: () => void) => {
        cancel = begun;
        if (response.destroyed) begun();
      };
      return call(rpc, request as RequestOf<MethodName>, { ...caller, deadlineAt, onCancel });
    };
  }
}

/** The first answer, and those after it: what has come since the first was read is in none of them. */
async function* pagesFrom(first: object, csv: LongCsv, request: object, ask: Ask): AsyncGenerator<object, void, undefined> {
  let [asked, reply] = [request, first];
  for (;;) {
    yield reply;
    const next = csv.next(asked, reply);
    if (next === undefined) return;
    [asked, reply] = [next, await ask(next)];
  }
}

async function furtherColumns(csv: LongCsv, pages: AsyncIterable<object>): Promise<string[]> {
  const names = new Set<string>();
  for await (const page of pages) {
    for (const name of csv.further(page)) names.add(names.size < mostFurther || names.has(name) ? name : otherColumns);
  }
  return [...names];
}

const header = (csv: LongCsv, further: readonly string[]) => csvText([[...csv.columns, ...further]]);

async function* lines(csv: LongCsv, further: readonly string[], pages: AsyncIterable<object>): AsyncGenerator<string, void, undefined> {
  yield header(csv, further);
  for await (const page of pages) yield csvText(csv.rows(page, further));
}

/** A reader who goes away, or is too slow, is nobody's error. */
function unlessCut(error: unknown): void {
  const { code, name } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && name !== 'AbortError') throw error;
}
