import { createHash, randomBytes } from 'node:crypto';
import type { File } from '@webkiln/contract';
import { contentChunkBytes, operatorPrincipal } from '@webkiln/messages';
import { peerState } from '@webkiln/rpc';
import { callerOf, connectTo, startReplica, until } from '@webkiln/rpc/testing';
import { UnsentBytes } from '../admission/bounds.ts';
import { closeServers, listening } from '../testing/listening.ts';
import { csvText, prefersCsv } from './csv.ts';
import { FileReplies, paginationHeaders } from './reply-writer.ts';
import { ResponseWriter } from './response-writer.ts';
import { withUse } from './routes.ts';

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "so"', '"say ""so"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  [7, '7'],
  [-7, '-7'],
  [null, ''],
  ['', ''],
  ['ü 語', 'ü 語'],
])('CSV cell %j is written as %s', (cell, written) => {
  expect(csvText([[cell]])).toBe(`${written}\r\n`);
});

test.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx'])('text %j cannot run as a spreadsheet formula', (text) => {
  expect(csvText([[text]])).toMatch(/^"?'/);
});

test('CSV has one line per row and commas between cells', () => {
  expect(csvText([['date', 'views'], ['2026-03-01', 5], []])).toBe('date,views\r\n2026-03-01,5\r\n\r\n');
});

test.each([
  ['text/csv', true],
  ['TEXT/CSV; charset=utf-8', true],
  ['text/csv, */*;q=0.1', true],
  ['text/csv, application/json;q=0.9', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['application/json, text/csv;q=0.9', false],
  ['application/json, text/csv', false],
  ['text/csv;q=0', false],
])('Accept: %s prefers CSV: %s', (accept, wanted) => {
  expect(prefersCsv(accept)).toBe(wanted);
});

const url = 'http://localhost/api/v1/projects';

test('a middle page links to first, prev, next and last, and keeps the filters', () => {
  expect(paginationHeaders(url, { limit: 10, offset: 20, q: 'a&b' }, { total: 45 })).toEqual([
    'X-Total-Count',
    '45',
    'Link',
    [
      `<${url}?q=a%26b&limit=10&offset=0>; rel="first"`,
      `<${url}?q=a%26b&limit=10&offset=10>; rel="prev"`,
      `<${url}?q=a%26b&limit=10&offset=30>; rel="next"`,
      `<${url}?q=a%26b&limit=10&offset=40>; rel="last"`,
    ].join(', '),
  ]);
});

test('a page that holds the whole list has no Link header', () => {
  expect(paginationHeaders(url, { limit: 50, offset: 0 }, { total: 50 })).toEqual(['X-Total-Count', '50']);
});

test('a whole list that was cut off at the cap links to the rest', () => {
  expect(paginationHeaders(url, { offset: 0 }, { total: 1200 }).at(-1)).toContain(`<${url}?limit=100&offset=1000>; rel="next"`);
});

test('next goes by the cursor of the reply, also beyond the largest offset, where the pages before it have no links', () => {
  expect(paginationHeaders(url, { limit: 10, offset: 200_000, cursor: 'abc' }, { total: 900_000, next_cursor: 'def' })).toEqual([
    'X-Total-Count',
    '900000',
    'Link',
    `<${url}?limit=10&offset=0>; rel="first", <${url}?limit=10&offset=200010&cursor=def>; rel="next"`,
  ]);
});

test('a list ends where the reply has no cursor, whatever the total was a moment ago', () => {
  expect(paginationHeaders(url, { limit: 10, offset: 0 }, { total: 2000, next_cursor: '' })).toEqual(['X-Total-Count', '2000']);
});

test('beyond the largest offset the links go on from it', () => {
  const headers = paginationHeaders(url, { limit: 10, offset: 100_001 }, { total: 900_000, next_cursor: 'def' });
  expect(headers.join()).toContain('offset=100010&cursor=def>; rel="next"');
});

afterAll(closeServers);

const content = () => randomBytes(3 * contentChunkBytes + 1);
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A service that reads parts of files, the first ones when the test says so. */
class Reads {
  readonly files = new Map<string, Buffer>();
  /** The files of which a part is being read. */
  readonly running: string[] = [];
  /** How many parts of these files were read at once, at most. */
  maxConcurrent = 0;
  readonly #watched: ReadonlySet<string>;
  readonly #released = Promise.withResolvers<void>();

  constructor(files: readonly Buffer[], watched: readonly Buffer[]) {
    for (const bytes of files) this.files.set(sha256Of(bytes), bytes);
    this.#watched = new Set(watched.map(sha256Of));
  }

  readonly read = async ({ sha256, offset, length }: { sha256: string; offset: number; length: number }) => {
    this.running.push(sha256);
    this.maxConcurrent = Math.max(this.maxConcurrent, this.running.filter((each) => this.#watched.has(each)).length);
    await this.#released.promise;
    this.running.splice(this.running.indexOf(sha256), 1);
    return { content: this.files.get(sha256)?.subarray(offset, offset + length) ?? new Uint8Array() };
  };

  release(): void {
    this.#released.resolve();
  }
}

/** Serves the files by name, each to the credential that the request names. */
async function serve(files: ReadonlyMap<string, Buffer>): Promise<number> {
  const responses = new ResponseWriter({
    origin: 'http://localhost',
    windowMs: 60_000,
    unsent: new UnsentBytes({ maxPerCredential: 1e9, maxPerNetwork: 1e9 }),
    clientAddress: () => '127.0.0.1',
  });
  const replies = new FileReplies({ responses, timeoutMs: 120_000 });
  return listening((request, response) => {
    const [, credential_id = '', sha256 = ''] = (request.url ?? '').split('/');
    const bytes = files.get(sha256) ?? Buffer.alloc(0);
    const file: File = { path: 'film.mp4', size: bytes.byteLength, content_type: 'video/mp4', sha256 };
    const exchange = { request, response, requestId: sha256, startedAt: 0, operation: 'getProjectFile' };
    const caller = callerOf();
    const own = { ...caller, principal: { ...caller.principal, credential_id } };
    void replies.send(exchange, { file, content: bytes.subarray(0, contentChunkBytes) }, own);
  });
}

test('of many downloads of one credential one part is read at a time, beside those of others; all arrive whole', async () => {
  const own = [content(), content(), content()];
  const others = content();
  const reads = new Reads([...own, others], own);
  await using replica = await startReplica({ 'projects.ReadContent': reads.read });
  await using _peers = connectTo('carried', [replica.port]);
  await until(() => peerState('projects-templates') === 'ready');
  const port = await serve(reads.files);
  const download = async (credential: string, bytes: Buffer) => {
    const answer = await fetch(`http://127.0.0.1:${port}/${credential}/${sha256Of(bytes)}`);
    return sha256Of(new Uint8Array(await answer.arrayBuffer()));
  };
  const downloads = own.map((bytes) => download('one', bytes));
  await until(() => reads.running.length === 1);
  downloads.push(download('other', others));
  await until(() => reads.running.includes(sha256Of(others)));
  reads.release();
  expect(await Promise.all(downloads)).toEqual([...own, others].map(sha256Of));
  expect(reads.maxConcurrent).toBe(1);
});

const limitOf = (name: string) => ({ name, unit: name, limit: 10, used: null });

test('what a service counts for the organization is shown; the use of quotas whose service does not answer is unknown', async () => {
  const asked: string[] = [];
  await using replica = await startReplica({
    'maintenance.CountUse': async (_request, { principal }) => {
      asked.push(`${principal.kind} ${principal.credential_id} ${principal.org_id}`);
      return { uses: [{ name: 'projects', used: 0 }] };
    },
  });
  await using _peers = connectTo('carried', [replica.port]);
  const { limits } = await withUse({ limits: [limitOf('projects'), limitOf('keys')] }, callerOf({ principal: operatorPrincipal('org') }));
  expect(limits).toEqual([{ ...limitOf('projects'), used: 0 }, limitOf('keys')]);
  expect(asked).toEqual(['service gateway org']);
});
