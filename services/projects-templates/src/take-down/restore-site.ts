import { handle } from '@webkiln/rpc';
import { changeSite, type Sites } from './change-site.ts';
import { restore } from './take-down.ts';

/** Shows the site again, with the deploy that is live. */
export const restoreSite = (sites: Sites) =>
  handle('sites.RestoreSite', ({ site }, caller) => changeSite(caller, sites, site, (current) => restore(caller, current)));
