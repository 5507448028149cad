/** The 99th percentiles, in ms, of what a neighbour waits for. */
export interface Latencies {
  readonly api: number;
  readonly page: number;
  /** From the request that raises an event to its arrival at the webhook. */
  readonly webhook: number;
}

export class LatencySamples {
  readonly #ms: number[] = [];

  add(ms: number): void {
    this.#ms.push(ms);
  }

  /** Runs `act` and adds how long it took, if it succeeded. */
  async time(act: () => Promise<unknown>): Promise<void> {
    const since = performance.now();
    await act();
    this.add(performance.now() - since);
  }

  get p99Ms(): number {
    return this.#ms.toSorted((a, b) => a - b)[Math.floor(this.#ms.length * 0.99)] ?? Number.NaN;
  }
}

/** The middle of several rounds, kind by kind. */
export function medians(rounds: readonly Latencies[]): Latencies {
  const of = (kind: keyof Latencies) =>
    rounds.map((each) => each[kind]).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN;
  return { api: of('api'), page: of('page'), webhook: of('webhook') };
}
