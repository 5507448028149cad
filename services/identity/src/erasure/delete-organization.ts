import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { toOrganization } from '../organizations/organization.ts';
import { changeStanding } from '../standing/change-standing.ts';
import { orderErasure } from './erasure.ts';

const dayMs = 24 * 3600_000;

/** Suspends the organization, to be erased after `eraseAfterDays`. Repeats change nothing. */
export const deleteOrganization = (eraseAfterDays: number) =>
  handle(
    'identity.DeleteOrganization',
    forOperators(async (_request, caller) => {
      const now = new Date();
      const eraseAt = new Date(now.getTime() + eraseAfterDays * dayMs);
      return { organization: toOrganization(await changeStanding(caller, (current) => orderErasure(caller, current, eraseAt, now))) };
    }),
  );
