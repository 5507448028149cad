import type { DispatchSettings } from '../dispatch/dispatch-settings.ts';

/** As in production, but for the clock. */
export const testSettings: DispatchSettings = {
  retryWaitsMs: [300, 600],
  timeoutMs: 5_000,
  disableAfterMs: 3600_000,
  retentionMs: 3600_000,
  endpointConcurrency: 4,
  concurrency: 100,
  patienceMs: 300,
  leaseMarginMs: 5_000,
};
