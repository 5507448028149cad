import type { DispatchSettings } from '../dispatch/dispatch-config.ts';

/** As in production, with shorter times. */
export const testSettings: DispatchSettings = {
  retryWaitsMs: [300, 600],
  timeoutMs: 5_000,
  disableAfterMs: 3600_000,
  retentionMs: 3600_000,
  endpointConcurrency: 4,
  organizationConcurrency: 100,
  hostConcurrency: 100,
  concurrency: 100,
  maxHoldMs: 300,
  leaseMarginMs: 5_000,
};
