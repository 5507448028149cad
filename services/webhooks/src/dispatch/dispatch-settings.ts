/** How deliveries are made. Times are in milliseconds. */
export interface DispatchSettings {
  /** The waits before the second and every later attempt, each counted from the end of the one before; after the last one it has failed. */
  readonly retryWaitsMs: readonly number[];
  /** How long one attempt may take in all. */
  readonly timeoutMs: number;
  /** An endpoint that has failed for so long without a success is switched off. */
  readonly disableAfterMs: number;
  /** How long a delivery can be looked at. */
  readonly retentionMs: number;
  /** How many attempts are made at once at one endpoint by one process. */
  readonly endpointConcurrency: number;
  /** How many attempts are made at once by one process. */
  readonly concurrency: number;
  /** How long an event may occupy memory and the stream before its delivery is left to the store. */
  readonly patienceMs: number;
  /** Beside the time an attempt may take: how long its process may be silent before another one makes it. */
  readonly leaseMarginMs: number;
}
