import { logger, runPeriodically, Semaphore } from '@webkiln/runtime';
import type { Owner } from '@webkiln/store';
import { checkDomain } from './check-domain.ts';
import { dueDomains, leaseDomain } from './domain-store.ts';
import type { DomainLookups } from './look-up.ts';

const pollMs = 1000;
/** Far longer than a check takes; then another process checks. */
const leaseMs = 60_000;
const maxPerRun = 100;
const slots = new Semaphore({ permits: 8 });

/** Checks domains when they are due. Returns how to stop. A process may be killed at any moment: others go on. */
export const startCheckingDomains = (lookups: DomainLookups): (() => void) =>
  runPeriodically({ everyMs: pollMs, name: 'checks of domains' }, () => checkDueDomains(lookups));

/** Checks those that are due now and that no other process checks. */
export async function checkDueDomains(lookups: DomainLookups): Promise<void> {
  const due = await dueDomains(new Date());
  await Promise.all(due.slice(0, maxPerRun).map((owner) => slots.run(() => checkDue(owner, lookups))));
}

async function checkDue(owner: Owner, lookups: DomainLookups): Promise<void> {
  try {
    const now = Date.now();
    const domain = await leaseDomain(owner, new Date(now), new Date(now + leaseMs));
    if (domain !== null) await checkDomain(domain, lookups);
  } catch (err) {
    logger.warn({ err, domain_id: owner.key }, 'check of a domain failed; it is checked again in a minute');
  }
}
