import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../../../harness/api.ts';
import type { Findings } from '../outcome.ts';

const intervalMs = 20;

/** A well-behaved agency that calls the API while others abuse it. */
export class OtherAgency {
  readonly #api: Api;
  readonly #findings: Findings;
  readonly #times: number[] = [];
  #stopped = false;

  constructor(api: Api, findings: Findings) {
    this.#api = api;
    this.#findings = findings;
  }

  async serve(): Promise<void> {
    this.#times.length = 0;
    while (!this.#stopped) {
      await this.request();
      await pause(intervalMs);
    }
  }

  async request(): Promise<void> {
    const since = performance.now();
    const { status } =
      this.#times.length % 2 === 0 ? await this.#api.get('/plans?limit=10') : await this.#api.post('/plans', { name: 'Care', price: 1 });
    this.#times.push(performance.now() - since);
    this.#findings.check(status < 300, `another agency was answered ${status}`);
  }

  stop(): void {
    this.#stopped = true;
  }

  get served(): number {
    return this.#times.length;
  }

  get p99Ms(): number {
    return Math.round(this.#times.toSorted((a, b) => a - b)[Math.floor(this.#times.length * 0.99)] ?? 0);
  }
}
