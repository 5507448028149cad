import { histogram } from '@webkiln/runtime';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const labelNames = ['method', 'outcome'] as const;

const durations = {
  client: histogram({
    name: 'rpc_client_duration_seconds',
    help: 'Calls made, by method and outcome',
    labelNames: [...labelNames],
    buckets,
  }),
  server: histogram({
    name: 'rpc_server_duration_seconds',
    help: 'Calls served, by method and outcome',
    labelNames: [...labelNames],
    buckets,
  }),
};

/** Records the durations of one method's calls, as client or as server. */
export class CallDurations {
  readonly #side: keyof typeof durations;
  readonly #method: string;
  readonly #children = new Map<string, { observe(seconds: number): void }>();

  constructor(side: keyof typeof durations, method: string) {
    this.#side = side;
    this.#method = method;
  }

  /** `outcome` is "ok" or an error's code; `startedAt` is a `performance.now()`. */
  observe(outcome: string, startedAt: number): void {
    let child = this.#children.get(outcome);
    if (child === undefined) {
      child = durations[this.#side].labels({ method: this.#method, outcome });
      this.#children.set(outcome, child);
    }
    child.observe((performance.now() - startedAt) / 1000);
  }
}
