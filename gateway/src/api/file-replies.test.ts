import { createHash, randomBytes } from 'node:crypto';
import type { File } from '@webkiln/contract';
import { contentChunkBytes } from '@webkiln/messages';
import { callerOf, connectTo, startReplica, until } from '@webkiln/rpc/testing';
import { UnsentBytes } from '../in-flight/unsent-bytes.ts';
import { closeServers, listening } from '../testing/listening.ts';
import { FileReplies } from './file-replies.ts';
import { ResponseWriter } from './response-writer.ts';

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
