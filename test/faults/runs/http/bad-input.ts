import fc from 'fast-check';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { listAll } from '../records/compare-records.ts';
import { inventory, seedFixtures } from '../records/seed-fixtures.ts';
import { brokenRequests, operatorInEachField } from './broken-requests.ts';
import { garbage } from './hostile-values.ts';
import { bytesOf, exchange, isEnvelope, type RawAnswer, type RawRequest } from './raw-http.ts';

const concurrency = 16;
const batchSize = 400;
const shownBytes = 400;
const uuids = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

interface Counts {
  readonly requests: number;
  readonly seed?: number;
}

/**
 * Sends broken requests. Each must get a 4xx that names the mistake, no process may crash, and only acknowledged
 * records may be stored.
 */
export async function refuseBadInput(platform: TestPlatform, { requests, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const fixtures = await seedFixtures(platform.facts);
  const { key = '' } = fixtures.agency.api;
  const before = await inventory(fixtures.agency);
  const processes = pids(platform);
  const trial = new Trial(platform.facts.origins[0] ?? '', findings);
  for (const records of Object.values(before)) for (const record of records) trial.stored(record);
  await trial.sendAll(garbage.map((text) => Buffer.from(text.replaceAll('KEY', key), 'latin1')));
  await trial.sendAll(operatorInEachField(fixtures), 400);
  for (let batch = 0; trial.tries < requests; batch++) {
    const numRuns = Math.min(batchSize, requests - trial.tries);
    await trial.sendAll(fc.sample(brokenRequests(fixtures), { seed: seed + batch, numRuns }));
  }
  // A subscription changes with its client, which no answer shows.
  const subscriptions = await listAll(fixtures.agency.api, 'subscriptions');
  await trial.compare(Object.values(await inventory(fixtures.agency)).flat(), subscriptions);
  findings.check(pids(platform) === processes, 'a process has crashed');
  return { seed, tries: trial.tries, figure: trial.figure, failures: findings.failures };
}

const pids = ({ platform }: TestPlatform) => JSON.stringify([...platform.processes].map(([name, { pid }]) => [name, pid]));

class Trial {
  tries = 0;
  readonly #origin: string;
  readonly #findings: Findings;
  readonly #statuses = new Map<number | undefined, number>();
  /** Every record state that an answer acknowledged, as JSON. */
  readonly #acknowledged = new Set<string>();
  readonly #ids = new Set<string>();
  /** The ids in the paths of writes whose answers do not show the record, such as that of a publish. */
  readonly #changedUnseen = new Set<string>();

  constructor(origin: string, findings: Findings) {
    this.#origin = origin;
    this.#findings = findings;
  }

  get figure(): string {
    const counts = [...this.#statuses].sort(([a = 0], [b = 0]) => a - b).map(([status, count]) => `${status ?? 'closed'}: ${count}`);
    return `0 5xx, 0 crashes; ${counts.join(', ')}`;
  }

  stored(record: { readonly id: string }): void {
    this.#acknowledged.add(JSON.stringify(record));
    this.#ids.add(record.id);
  }

  /** With `expected`, every answer must have this status. */
  async sendAll(requests: readonly (RawRequest | Buffer)[], expected?: number): Promise<void> {
    this.tries += requests.length;
    const waiting = [...requests];
    const sender = async () => {
      for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) await this.#send(request, expected);
    };
    await Promise.all(Array.from({ length: concurrency }, sender));
  }

  /** Checks that the stored records are the acknowledged ones, and that `others` are stored at all. */
  async compare(records: readonly { readonly id: string }[], others: readonly { readonly id: string }[]): Promise<void> {
    for (const record of records) {
      const isKnown = this.#acknowledged.has(JSON.stringify(record)) || this.#changedUnseen.has(record.id);
      this.#findings.check(isKnown, `stored, but never acknowledged: ${JSON.stringify(record)}`);
      this.#ids.delete(record.id);
    }
    for (const { id } of others) this.#ids.delete(id);
    this.#findings.check(this.#ids.size === 0, `acknowledged, but not stored: ${[...this.#ids].join()}`);
  }

  async #send(request: RawRequest | Buffer, expected: number | undefined): Promise<void> {
    const bytes = Buffer.isBuffer(request) ? request : bytesOf(request);
    const shown = JSON.stringify(bytes.subarray(0, shownBytes).toString('latin1'));
    try {
      const answer = await exchange(this.#origin, bytes);
      this.#statuses.set(answer?.status, (this.#statuses.get(answer?.status) ?? 0) + 1);
      // Bytes that are not HTTP may be closed without an answer.
      if (answer === undefined) return this.#findings.check(Buffer.isBuffer(request), `closed without an answer: ${shown}`);
      this.#findings.check(
        answer.status === (expected ?? answer.status) && answer.status < 500,
        `${answer.status} ${answer.body} to ${shown}`,
      );
      if (answer.status >= 400)
        this.#findings.check(isEnvelope(answer, bytes), `${answer.status} ${answer.body} is not an error envelope; request: ${shown}`);
      else this.#recordAcknowledged(answer, bytes);
    } catch (error) {
      this.#findings.check(false, `${error} to ${shown}`);
    }
  }

  /** Records what a write acknowledged. */
  #recordAcknowledged({ status, body }: RawAnswer, request: Buffer): void {
    const [method, target = ''] = request.toString('latin1').split(' ', 2);
    if (method !== 'GET') {
      for (const [id] of target.matchAll(uuids)) if (!body.includes(`"id":"${id}"`)) this.#changedUnseen.add(id);
    }
    if (!body.startsWith('{')) return;
    for (const acknowledged of Object.values(JSON.parse(body) as Record<string, { id?: string; secret?: string }>)) {
      if (typeof acknowledged !== 'object' || acknowledged?.id === undefined) continue;
      const { secret: _secret, ...record } = acknowledged;
      if (status === 201) this.#ids.add(acknowledged.id);
      this.#acknowledged.add(JSON.stringify(record));
    }
  }
}
