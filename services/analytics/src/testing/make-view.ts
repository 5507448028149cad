import type { View } from '../views/view.ts';

/** Makes a view of a site's first page, now, with the given overrides. */
export const makeView = (site: string, more: Partial<View> = {}): View => ({
  site,
  at: Date.now(),
  path: '/',
  referrer: '',
  device: 'desktop',
  browser: 'Firefox',
  system: 'Linux',
  country: '',
  source: '',
  medium: '',
  campaign: '',
  bot: false,
  visitor: 'visitor-visitor-',
  event: '',
  ...more,
});
