/** What a neighbour waits for; `webhook` is from the request that raises an event to its arrival. */
export const kinds = ['api', 'page', 'publish', 'chat', 'webhook', 'sign-in'] as const;

/** The 99th percentiles in ms. */
export type Latencies = Readonly<Record<(typeof kinds)[number], number>>;

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

  get count(): number {
    return this.#ms.length;
  }

  get p99Ms(): number {
    return this.#ms.toSorted((a, b) => a - b)[Math.floor(this.#ms.length * 0.99)] ?? Number.NaN;
  }
}
