import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { toOrganization } from '../organizations/organization.ts';
import { changeStanding } from '../standing/change-standing.ts';
import { orderErasure } from './erasure.ts';

/** Erases the organization without the days in which it could be restored. Repeats change nothing. */
export const eraseOrganizationNow = handle(
  'identity.EraseOrganization',
  forOperators(async ({ confirm }, caller) => {
    const now = new Date();
    const organization = await changeStanding(caller, (current) => {
      if (confirm !== current.slug) {
        throw new AppError('validation_failed', [{ path: 'confirm', message: `must be the organization's slug, ${current.slug}` }]);
      }
      return orderErasure(caller, current, now, now);
    });
    return { organization: toOrganization(organization) };
  }),
);
