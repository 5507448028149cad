import { Change } from '@webkiln/messages';
import { logger, runPeriodically, Semaphore } from '@webkiln/runtime';
import { inTransaction, isDuplicate, type Owner, saveChange, saveWithRetry } from '@webkiln/store';
import { siteChanged } from '../projects/project.ts';
import { ProjectModel, projectById } from '../projects/project-store.ts';
import { checked, type DomainState } from './domain.ts';
import { dueDomains, leaseDomain, removeDomain, saveCheck } from './domain-store.ts';
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

const takenProblem = 'This domain is active for another website of this platform: remove it there first.';

/**
 * Looks for the records of a claim. If all are right, its project is live under the name; a unique index decides
 * between claims. Repeating it changes nothing.
 */
export async function checkDomain(domain: DomainState, lookups: DomainLookups): Promise<DomainState> {
  const { org_id, project_id, name, status } = domain;
  const project = await projectById({ org_id }, project_id);
  // A deleted project frees its names; this is what a process left that died before it deleted them.
  if (project === null) {
    await removeDomain({ org_id }, domain._id);
    return domain;
  }
  if (status === 'active') return save(domain, domain.dns_records, null);
  const { records, problem } = await lookups.find(name, domain.dns_records);
  if (problem !== null) return save(domain, records, problem);
  return (await makeLive(domain, records)) ?? save(domain, records, takenProblem);
}

async function save(domain: DomainState, records: DomainState['dns_records'], problem: string | null): Promise<DomainState> {
  const outcome = checked(domain, records, problem, new Date());
  await saveCheck(domain, outcome);
  return { ...domain, ...outcome };
}

/**
 * Makes the project live under the name, in one transaction with the claim: a concurrent deletion of the claim wins.
 * Null if another project is live there.
 */
async function makeLive(domain: DomainState, records: DomainState['dns_records']): Promise<DomainState | null> {
  const { org_id, project_id, name } = domain;
  const outcome = checked(domain, records, null, new Date());
  const attempt = () =>
    inTransaction(ProjectModel, async (session) => {
      if (!(await saveCheck(domain, outcome, session))) return;
      const project = await projectById({ org_id }, project_id);
      if (project === null || project.custom_domain_names.includes(name)) return;
      const custom_domain_names = [...project.custom_domain_names, name];
      const events = [siteChanged(project_id, name)];
      await saveChange(ProjectModel, { org_id, session }, project, new Change({ custom_domain_names }, events));
    });
  try {
    await saveWithRetry({}, attempt);
  } catch (error) {
    if (isDuplicate(error, 'custom_domain_names')) return null;
    throw error;
  }
  logger.info({ domain: name, project_id }, 'custom domain is active');
  return { ...domain, ...outcome };
}
