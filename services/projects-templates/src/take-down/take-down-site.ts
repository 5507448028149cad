import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { changeSite, type Sites } from './change-site.ts';
import { Reason, takeDown } from './take-down.ts';

/** Shows a notice instead of a site and its previews, whatever its owner publishes. */
export const takeDownSite = (sites: Sites) =>
  handle('sites.TakeDownSite', ({ site, ...rest }, caller) => {
    const { reason } = validate(Reason, rest);
    return changeSite(caller, sites, site, (current) => takeDown(caller, current, reason, new Date().toISOString()));
  });
