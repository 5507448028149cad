import { handle } from '@webkiln/rpc';
import type { QuotaSettings } from '@webkiln/standing/settings';
import { currentOrganization, forOperators } from '../authorize.ts';
import { toLimits } from './standing.ts';

export const getLimits = (settings: QuotaSettings) =>
  handle(
    'identity.GetLimits',
    forOperators(async (_request, caller) => ({ limits: toLimits(await currentOrganization(caller), settings) })),
  );
