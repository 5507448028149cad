import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { changeStanding } from './change-standing.ts';
import { changeLimit, type StandingSettings, toLimits } from './standing.ts';

/** Sets one limit of the organization, or returns it to the platform's. */
export const setLimit = (settings: StandingSettings) =>
  handle(
    'identity.SetLimit',
    forOperators(async (request, caller) => ({
      limits: toLimits(await changeStanding(caller, (current) => changeLimit(caller, current, request)), settings),
    })),
  );
