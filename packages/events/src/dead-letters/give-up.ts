/** When a failing message becomes a dead letter, and how long that is kept. */
export interface GiveUp {
  readonly retryForMs: number;
  /** A handler that has not ended after this long has failed: its message comes again. */
  readonly maxHandlingMs: number;
  readonly keepDays: number;
  /** Dead letters of one consumer and organization; beyond it the oldest is dropped. */
  readonly keepMax: number;
}

export const defaultGiveUp: GiveUp = { retryForMs: 15 * 60_000, maxHandlingMs: 10 * 60_000, keepDays: 30, keepMax: 1_000 };
