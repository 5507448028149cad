import { wholeNumber } from '@webkiln/runtime';

export const erasureConfig = {
  ERASE_AFTER_DAYS: wholeNumber(0, 3650).default(30).describe('How many days a deleted organization can be restored, before it is erased'),
  ERASURE_POLL_MS: wholeNumber(10, 3600_000).default(60_000).describe('How often erasures that are due go on'),
};
