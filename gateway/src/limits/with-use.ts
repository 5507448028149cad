import type { Limit } from '@webkiln/contract';
import { type Caller, type DataServiceName, dataServiceNames, onBehalf } from '@webkiln/messages';
import { callAt } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';

/** A service that is away holds up the others' answers no longer than this. */
const timeoutMs = 2_000;

/**
 * Completes an organization's limits with what is used. Each service counts for the quotas that it keeps; those of one
 * that does not answer stay unknown, since the others' figures are of use without them.
 */
export async function withUse({ limits }: { limits: readonly Limit[] }, caller: Caller): Promise<{ limits: readonly Limit[] }> {
  const deadlineAt = Math.min(caller.deadlineAt, Date.now() + timeoutMs);
  const counting = { ...onBehalf('gateway', caller), deadlineAt };
  const uses = await Promise.all(dataServiceNames.map((service) => usesAt(service, counting)));
  const used = new Map(uses.flat().map((use) => [use.name, use.used]));
  return { limits: limits.map((limit) => ({ ...limit, used: used.get(limit.name) ?? null })) };
}

const usesAt = (service: DataServiceName, caller: Caller) =>
  callAt(service, 'maintenance.CountUse', {}, caller).then(
    ({ uses = [] }) => uses,
    (err: unknown) => {
      logger.warn({ err, service, org_id: caller.principal.org_id }, 'use of quotas not counted; it is shown as not known');
      return [];
    },
  );
