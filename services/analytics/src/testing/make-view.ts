import type { View } from '../views/view.ts';

/** A view of a site's first page by somebody, now, and whatever else it is to be. */
export const viewOf = (site: string, more: Partial<View> = {}): View => ({
  site,
  at: Date.now(),
  path: '/',
  referrer: '',
  device: 'desktop',
  bot: false,
  visitor: 'visitor-visitor-',
  event: '',
  ...more,
});
