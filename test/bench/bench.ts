/** The input of a benchmark. */
export interface Bench {
  readonly rounds: number;
  /** Duration of the load on each target per round. */
  readonly seconds: number;
  /** A folder that is deleted after the run. */
  readonly scratch: string;
  /** A folder that is kept between runs. */
  readonly cache: string;
  readonly log: (text: string) => void;
  /** Registers a cleanup. Cleanups run in reverse order when the benchmark ends or fails. */
  readonly onStop: (stop: () => unknown) => void;
}
