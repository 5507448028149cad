import { wholeNumber } from '@webkiln/runtime';

/** More than two seconds, for which a service may not know of the erasure, and a write. */
const minQuietMs = 3_000;

export const erasureConfig = {
  ERASE_AFTER_DAYS: wholeNumber(0, 3650).default(30).describe('How many days a deleted organization can be restored, before it is erased'),
  ERASURE_POLL_MS: wholeNumber(10, 3600_000).default(60_000).describe('How often erasures that are due go on'),
  ERASURE_QUIET_MS: wholeNumber(minQuietMs, 3600_000)
    .default(120_000)
    .describe('How long after all services refuse records of an organization its last round begins; longer than any write takes'),
};
