import { AppError } from '@webkiln/contract';
import type { ServiceName } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { assertInternal, forOperators } from '../authorize.ts';
import { nextStep, orderErasure, takeBackErasure } from './erasure.ts';
import { organizationsToErase, saveReport, saveStep } from './erasure-store.ts';
import { changeOrgPolicy } from './operator-use-cases.ts';
import { toOrganization } from './organization.ts';

const dayMs = 24 * 3600_000;

/** Suspends the organization, to be erased after `eraseAfterDays`. Repeats change nothing. */
export const deleteOrganization = (eraseAfterDays: number) =>
  handle(
    'identity.DeleteOrganization',
    forOperators(async (_request, caller) => {
      const now = new Date();
      const eraseAt = new Date(now.getTime() + eraseAfterDays * dayMs);
      return { organization: toOrganization(await changeOrgPolicy(caller, (current) => orderErasure(caller, current, eraseAt, now))) };
    }),
  );

/** Takes a deletion back: everything works as before. Repeats change nothing. */
export const restoreOrganization = handle(
  'identity.RestoreOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(await changeOrgPolicy(caller, (current) => takeBackErasure(caller, current))),
  })),
);

/** Erases the organization without the days in which it could be restored. Repeats change nothing. */
export const eraseOrganizationNow = handle(
  'identity.EraseOrganization',
  forOperators(async ({ confirm }, caller) => {
    const now = new Date();
    const organization = await changeOrgPolicy(caller, (current) => {
      if (confirm !== current.slug) {
        throw new AppError('validation_failed', [{ path: 'confirm', message: `must be the organization's slug, ${current.slug}` }]);
      }
      return orderErasure(caller, current, now, now);
    });
    return { organization: toOrganization(organization) };
  }),
);

/** Takes a service's word that it has deleted what it had of an organization. */
export const reportErasure = handle('identity.ReportErasure', async ({ organization_id, round, deleted }, caller) => {
  assertInternal(caller);
  await saveReport(caller, organization_id, round, caller.principal.credential_id as ServiceName, deleted);
  return {};
});

const maxAtOnce = 100;

/** Takes the next step of each erasure that is due; `quietMs`: see `nextStep`. */
export async function eraseDueOrganizations(quietMs: number): Promise<void> {
  const now = new Date();
  for (const organization of await organizationsToErase(now, maxAtOnce)) {
    const step = nextStep(organization, now, quietMs);
    if (step === null) continue;
    await saveStep(organization, step);
    const { erased_at, erasure_round } = step.state;
    logger.info(
      { organization_id: organization._id, round: erasure_round?.number },
      erased_at ? 'organization erased' : 'organization is being erased; services delete what they have',
    );
  }
}
