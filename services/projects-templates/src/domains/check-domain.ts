import { AppError } from '@webkiln/contract';
import { Change } from '@webkiln/messages';
import { logger, runPeriodically, Semaphore } from '@webkiln/runtime';
import { inTransaction, isDuplicate, type Owner, type Session, saveChange, saveWithRetry } from '@webkiln/store';
import { siteChanged } from '../projects/project.ts';
import { ownerOfCustomDomain, ProjectModel, projectById } from '../projects/project-store.ts';
import { checked, type DomainState, lost, provenAgain } from './domain.ts';
import { claimOf, dueDomains, leaseDomain, removeDomain, saveCheck } from './domain-store.ts';
import { type DomainLookups, type Found, isProven } from './look-up.ts';

const pollMs = 2000;
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

const takenProblem = new AppError('domain_taken').message;
const lostProblem = 'Another website of this platform has proven this domain, where your TXT record was not found any more.';

/**
 * Looks for the records of a claim. If all are right, its project is live under the name; a unique index decides
 * between claims. An active one is only looked up for its proof. Repeating it changes nothing.
 */
export async function checkDomain(domain: DomainState, lookups: DomainLookups): Promise<DomainState> {
  const { org_id, project_id, name, status } = domain;
  const project = await projectById({ org_id }, project_id);
  // A deleted project frees its names; this is what a process left that died before it deleted them.
  if (project === null) {
    await removeDomain({ org_id }, domain._id);
    return domain;
  }
  const found = await lookups.find(name, domain.dns_records);
  if (status === 'active') return proveAgain(domain, provenAgain(domain, isProven(found, domain.dns_records), found.records, new Date()));
  const outcome = checked(domain, found.records, found.problem, new Date());
  if (found.problem === null && (await makeLive(domain, outcome, found))) return { ...domain, ...outcome };
  return save(domain, found.problem === null ? checked(domain, found.records, takenProblem, new Date()) : outcome);
}

async function save(domain: DomainState, outcome: Partial<DomainState>): Promise<DomainState> {
  await saveCheck(domain, outcome);
  return { ...domain, ...outcome };
}

/** Saves the state of an active domain. One that is not proven any more is no longer live. */
async function proveAgain(domain: DomainState, outcome: Partial<DomainState>): Promise<DomainState> {
  if (outcome.status !== 'verifying') return save(domain, outcome);
  await saveWithRetry({}, () => inTransaction(ProjectModel, (session) => letGo(domain, outcome, session)));
  logger.warn({ domain: domain.name, project_id: domain.project_id }, 'custom domain was not proven for days; its site is not live there');
  return { ...domain, ...outcome };
}

/** Takes the name from the claim and its project, unless the claim was checked or deleted meanwhile. */
async function letGo(domain: DomainState, outcome: Partial<DomainState>, session: Session): Promise<void> {
  const { org_id, project_id, name } = domain;
  if (!(await saveCheck(domain, outcome, session))) return;
  const project = await projectById({ org_id }, project_id);
  if (project === null) return;
  const custom_domain_names = project.custom_domain_names.filter((other) => other !== name);
  const events = [siteChanged(project_id, name)];
  await saveChange(ProjectModel, { org_id, session }, project, new Change({ custom_domain_names }, events));
}

/** The active claim of another project for the same name. Null if there is none. */
async function holderOf({ name, project_id }: Pick<DomainState, 'name' | 'project_id'>): Promise<DomainState | null> {
  const owner = await ownerOfCustomDomain(name);
  return owner === null || owner.key === project_id ? null : claimOf(owner, owner.key, name);
}

/** True if the name is live for another project that still proves it. */
export async function isTaken(claim: Pick<DomainState, 'name' | 'project_id'>, lookups: DomainLookups): Promise<boolean> {
  const holder = await holderOf(claim);
  if (holder === null) return false;
  return isProven(await lookups.find(holder.name, holder.dns_records), holder.dns_records) ?? false;
}

/**
 * Makes the project live under the name, in one transaction with the claim: a concurrent deletion of the claim wins. A
 * project that does not prove the name any more loses it in the same transaction. False if another one keeps it.
 */
async function makeLive(domain: DomainState, outcome: Partial<DomainState>, found: Found): Promise<boolean> {
  const { org_id, project_id, name } = domain;
  const holder = await holderOf(domain);
  if (holder !== null && isProven(found, holder.dns_records)) return false;
  const attempt = () =>
    inTransaction(ProjectModel, async (session) => {
      if (holder !== null) await letGo(holder, lost(holder, holder.dns_records, lostProblem, new Date()), session);
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
    if (isDuplicate(error, 'custom_domain_names')) return false;
    throw error;
  }
  logger.info({ domain: name, project_id, from_project_id: holder?.project_id }, 'custom domain is active');
  return true;
}
