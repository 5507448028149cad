import { quotas } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { currentOrganization, forOperators } from '../authorize.ts';
import { type StandingSettings, toLimits } from './standing.ts';

/** Operators see what applies without a limit of its own, members the limits; the gateway adds what is used. */
export const getLimits = (settings: StandingSettings) => [
  handle(
    'identity.GetLimits',
    forOperators(async (_request, caller) => ({ limits: toLimits(await currentOrganization(caller), settings) })),
  ),
  handle('accounts.GetLimits', async (_request, caller) => {
    const limits = toLimits(await currentOrganization(caller), settings);
    return { limits: limits.map(({ name, limit }) => ({ name, limit, unit: quotas[name].unit, used: null })) };
  }),
];
