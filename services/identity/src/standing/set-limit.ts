import { handle } from '@webkiln/rpc';
import type { QuotaSettings } from '@webkiln/standing/settings';
import { forOperators } from '../authorize.ts';
import { changeStanding } from './change-standing.ts';
import { changeLimit, toLimits } from './standing.ts';

/** Sets one limit of the organization, or returns it to the platform's. */
export const setLimit = (settings: QuotaSettings) =>
  handle(
    'identity.SetLimit',
    forOperators(async (request, caller) => ({
      limits: toLimits(await changeStanding(caller, (current) => changeLimit(caller, current, request)), settings),
    })),
  );
