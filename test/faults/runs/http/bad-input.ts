import fc from 'fast-check';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { brokenRequests, operatorInEachField } from './broken-requests.ts';
import { inventory, makeEstate } from './estate.ts';
import { garbage } from './hostile-values.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';
import { bytesOf, exchange, type RawAnswer, type RawRequest } from './raw-http.ts';

const atOnce = 16;
const batchSize = 400;
const shownBytes = 400;

interface Counts {
  readonly requests: number;
  readonly seed?: number;
}

/** Promise 7: broken requests are answered with what is wrong; nothing falls over, and nothing is stored that was not acknowledged. */
export async function refuseBadInput(platform: TestPlatform, { requests, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const estate = await makeEstate(platform.facts);
  const { key = '' } = estate.agency.api;
  const before = await inventory(estate.agency);
  const processes = pids(platform);
  const trial = new Trial(platform.facts.origins[0] ?? '', findings);
  for (const records of Object.values(before)) for (const record of records) trial.stored(record);
  await trial.sendAll(garbage.map((text) => Buffer.from(text.replaceAll('KEY', key), 'latin1')));
  await trial.sendAll(operatorInEachField(estate), 400);
  for (let batch = 0; trial.tries < requests; batch++) {
    const numRuns = Math.min(batchSize, requests - trial.tries);
    await trial.sendAll(fc.sample(brokenRequests(estate), { seed: seed + batch, numRuns }));
  }
  await trial.compare(Object.values(await inventory(estate.agency)).flat());
  findings.check(pids(platform) === processes, 'a process has fallen over');
  return { seed, tries: trial.tries, figure: trial.figure, failures: findings.failures };
}

const pids = ({ platform }: TestPlatform) => JSON.stringify([...platform.processes].map(([name, { pid }]) => [name, pid]));

class Trial {
  tries = 0;
  readonly #origin: string;
  readonly #findings: Findings;
  readonly #statuses = new Map<number | undefined, number>();
  /** Every state of a record that an answer told of, as JSON. */
  readonly #told = new Set<string>();
  readonly #ids = new Set<string>();

  constructor(origin: string, findings: Findings) {
    this.#origin = origin;
    this.#findings = findings;
  }

  get figure(): string {
    const counts = [...this.#statuses].sort(([a = 0], [b = 0]) => a - b).map(([status, count]) => `${status ?? 'closed'}: ${count}`);
    return `0 5xx, 0 crashes; ${counts.join(', ')}`;
  }

  stored(record: { readonly id: string }): void {
    this.#told.add(JSON.stringify(record));
    this.#ids.add(record.id);
  }

  /** Where `expected` is given, nothing else will do. */
  async sendAll(requests: readonly (RawRequest | Buffer)[], expected?: number): Promise<void> {
    this.tries += requests.length;
    const waiting = [...requests];
    const sender = async () => {
      for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) await this.#send(request, expected);
    };
    await Promise.all(Array.from({ length: atOnce }, sender));
  }

  /** What is stored is what was told of. */
  async compare(records: readonly { readonly id: string }[]): Promise<void> {
    for (const record of records) {
      this.#findings.check(this.#told.has(JSON.stringify(record)), `stored, but never acknowledged: ${JSON.stringify(record)}`);
      this.#ids.delete(record.id);
    }
    this.#findings.check(this.#ids.size === 0, `acknowledged, but not stored: ${[...this.#ids].join()}`);
  }

  async #send(request: RawRequest | Buffer, expected: number | undefined): Promise<void> {
    const bytes = Buffer.isBuffer(request) ? request : bytesOf(request);
    const shown = JSON.stringify(bytes.subarray(0, shownBytes).toString('latin1'));
    try {
      const answer = await exchange(this.#origin, bytes);
      this.#statuses.set(answer?.status, (this.#statuses.get(answer?.status) ?? 0) + 1);
      // What is no HTTP may go without an answer.
      if (answer === undefined) return this.#findings.check(Buffer.isBuffer(request), `closed without an answer: ${shown}`);
      this.#findings.check(
        answer.status === (expected ?? answer.status) && answer.status < 500,
        `${answer.status} ${answer.body} to ${shown}`,
      );
      if (answer.status >= 400)
        this.#findings.check(isEnvelope(answer, bytes), `${answer.status} ${answer.body} is no envelope, to ${shown}`);
      else this.#hear(answer);
    } catch (error) {
      this.#findings.check(false, `${error} to ${shown}`);
    }
  }

  /** Notes what a write was told to have made. */
  #hear({ status, body }: RawAnswer): void {
    if (body === '' || !body.startsWith('{')) return;
    for (const told of Object.values(JSON.parse(body) as Record<string, { id?: string; secret?: string }>)) {
      if (typeof told !== 'object' || told?.id === undefined) continue;
      const { secret: _shownOnce, ...record } = told;
      if (status === 201) this.#ids.add(told.id);
      this.#told.add(JSON.stringify(record));
    }
  }
}

function isEnvelope({ headers, body }: RawAnswer, request: Buffer): boolean {
  if (request.subarray(0, 5).toString() === 'HEAD ') return true;
  try {
    const { error } = JSON.parse(body);
    return typeof error === 'string' && error !== '' && headers.get('content-type')?.startsWith('application/json') === true;
  } catch {
    return false;
  }
}
