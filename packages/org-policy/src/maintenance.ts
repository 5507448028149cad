import { deadLetterUseCases } from '@webkiln/events/dead-letters';
import { handle, type UseCase } from '@webkiln/rpc';
import { Coalescer } from '@webkiln/runtime';
import type { Quota } from './org-policies.ts';

/** The RPCs of the area `maintenance`, for `serve`: dead letters, and how much is used of the quotas that it keeps. */
export const maintenanceUseCases = (...quotas: readonly Quota[]): UseCase[] => [...deadLetterUseCases, countUse(quotas)];

function countUse(quotas: readonly Quota[]): UseCase {
  // Equal calls at the same time share one count.
  const counts = new Coalescer<number>();
  return handle('maintenance.CountUse', async (_request, { principal: { org_id } }) => ({
    uses: await Promise.all(
      quotas.map(async ({ name, used }) => ({ name, used: await counts.ask(`${org_id} ${name}`, () => used(org_id)) })),
    ),
  }));
}
