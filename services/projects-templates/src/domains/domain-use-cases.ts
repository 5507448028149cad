import { AppError, type SiteDomain } from '@webkiln/contract';
import { Change, type IncomingCaller } from '@webkiln/messages';
import { handle, type UseCase } from '@webkiln/rpc';
import { inTransaction, isDuplicate, newId, type Session, saveChange, saveWithRetry } from '@webkiln/store';
import { assertPlanAllows } from '../plan-rights.ts';
import { atRenamePlace, leaveLabel, type RenamePlace, takeLabel } from '../projects/label-store.ts';
import { isOfJoined, type SiteAddresses, siteChanged } from '../projects/project.ts';
import { existingProject, ProjectModel, type ProjectRecord } from '../projects/project-store.ts';
import { checkDomain, isTaken } from './check-domain.ts';
import { newToken, toDomain } from './domain.ts';
import { domainName, subdomainName, type Target } from './domain-name.ts';
import { claimsFor, domainsOf, existingDomain, insertDomain, removeDomain } from './domain-store.ts';
import { type DomainLookups, wantedRecords } from './look-up.ts';

interface Parts {
  readonly target: Target;
  readonly lookups: DomainLookups;
  readonly addresses: SiteAddresses;
}

export const domainUseCases = ({ target, lookups, addresses }: Parts): UseCase[] => [
  listDomains(addresses),
  addDomain({ target, lookups, addresses }),
  verifyDomain(lookups),
  checkForOperator(lookups),
  deleteDomain,
];

const listDomains = (addresses: SiteAddresses) =>
  handle('projects.ListDomains', async ({ project_id }, caller) => {
    const project = await existingProject(caller, project_id);
    const custom = await domainsOf(caller.principal, project_id);
    const domains = [...ownSubdomain(project, addresses), ...custom.map((domain) => toDomain(domain, project.custom_domain_names))];
    return { domains, total: domains.length };
  });

/** The address that a published site has by itself. It has the id of its project, as it is not stored apart. */
function ownSubdomain({ _id, subdomain, custom_domain_names, created_at }: ProjectRecord, addresses: SiteAddresses): SiteDomain[] {
  if (subdomain === null) return [];
  const name = new URL(addresses.site(subdomain)).hostname;
  const live = { status: 'active', ssl_status: 'active', is_primary: custom_domain_names.length === 0 } as const;
  return [{ id: _id, name, type: 'subdomain', ...live, dns_records: [], error: null, last_checked_at: null, created_at }];
}

const addDomain = ({ target, lookups, addresses }: Parts) =>
  handle('projects.AddDomain', async ({ project_id, domain, subdomain }, caller) => {
    if ((domain === undefined) === (subdomain === undefined)) {
      throw new AppError('validation_failed', [{ path: '', message: 'The body must have either domain or subdomain' }]);
    }
    if (subdomain !== undefined) return { domain: await changeSubdomain(project_id, subdomain, caller, addresses) };
    return { domain: await addCustomDomain(project_id, domainName(domain ?? '', target), caller, { target, lookups }) };
  });

async function addCustomDomain(
  project_id: string,
  name: string,
  caller: IncomingCaller,
  { target, lookups }: Omit<Parts, 'addresses'>,
): Promise<SiteDomain> {
  const project = await existingProject(caller, project_id);
  await assertPlanAllows('can_use_custom_domain', project, caller);
  if (await isTaken({ name, project_id }, lookups)) throw new AppError('domain_taken');
  const now = new Date();
  const dns_records = wantedRecords(name, newToken(), target);
  const claim = {
    ...{ _id: newId(caller), project_id, name, status: 'pending' as const, dns_records },
    ...{ error: null, last_checked_at: null, created_at: now.toISOString(), checks: 0, next_check_at: now },
  };
  const added = await insertDomain(caller.principal, claim, isOfJoined(project));
  return toDomain(added, project.custom_domain_names);
}

/** The old name is held. Throws `subdomain_taken`, `site_not_published`, `too_many_renames`. */
async function changeSubdomain(project_id: string, wanted: string, caller: IncomingCaller, addresses: SiteAddresses): Promise<SiteDomain> {
  const subdomain = subdomainName(wanted);
  const project = await saveWithRetry(caller, async () => {
    const current = await existingProject(caller, project_id);
    if (current.subdomain === null) throw new AppError('site_not_published');
    if (current.subdomain === subdomain) return current;
    const now = new Date();
    return atRenamePlace(current, now, (place) => rename(current, subdomain, place, now, caller));
  }).catch((error: unknown) => {
    throw isDuplicate(error, 'subdomain') ? new AppError('subdomain_taken') : error;
  });
  const [domain] = ownSubdomain(project, addresses);
  if (domain === undefined) throw new AppError('site_not_published');
  return domain;
}

function rename(current: ProjectRecord, subdomain: string, place: RenamePlace, now: Date, caller: IncomingCaller): Promise<ProjectRecord> {
  const { _id, org_id, subdomain: left } = current;
  const work = async (session: Session) => {
    const clears_storage_until = await takeLabel({ org_id, session }, _id, subdomain);
    await leaveLabel(current, place, session);
    const events = [left, subdomain].flatMap((name) => (name === null ? [] : [siteChanged(_id, name)]));
    const state = { subdomain, clears_storage_until, updated_at: now.toISOString() };
    return saveChange(ProjectModel, { org_id, session }, current, new Change(state, events));
  };
  return inTransaction(ProjectModel, work, caller);
}

/** Also looks again for a domain that failed. */
const verifyDomain = (lookups: DomainLookups) =>
  handle('projects.VerifyDomain', async ({ project_id, domain_id }, caller) => {
    await existingProject(caller, project_id, 'domain_not_found');
    const domain = await checkDomain(await existingDomain(caller.principal, project_id, domain_id), lookups);
    const { custom_domain_names } = await existingProject(caller, project_id);
    return { domain: toDomain(domain, custom_domain_names) };
  });

/** For operators, who know a name and not whose it is within the organization. */
const checkForOperator = (lookups: DomainLookups) =>
  handle('sites.CheckDomain', async ({ name }, caller) => {
    if (caller.principal.kind !== 'operator') throw new AppError('permission_missing');
    const claims = await claimsFor(caller.principal, name.toLowerCase());
    const domains = claims.map(async (claim) => {
      const { project_id, status, error, dns_records } = await checkDomain(claim, lookups);
      const { name: project } = await existingProject(caller, project_id, 'domain_not_found');
      return { project_id, project, status, error: error ?? undefined, records: dns_records };
    });
    if (claims.length === 0) throw new AppError('domain_not_found');
    return { domains: await Promise.all(domains) };
  });

/** The name is free for others at once: claim and project change in one transaction. */
const deleteDomain = handle('projects.DeleteDomain', async ({ project_id, domain_id }, caller) => {
  await existingProject(caller, project_id, 'domain_not_found');
  const { _id, name } = await existingDomain(caller.principal, project_id, domain_id);
  const { org_id } = caller.principal;
  const free = async (session: Session) => {
    await removeDomain({ org_id }, _id, session);
    const project = await existingProject(caller, project_id);
    if (!project.custom_domain_names.includes(name)) return;
    const custom_domain_names = project.custom_domain_names.filter((other) => other !== name);
    const events = [siteChanged(project_id, name)];
    await saveChange(ProjectModel, { org_id, session }, project, new Change({ custom_domain_names }, events));
  };
  await saveWithRetry(caller, () => inTransaction(ProjectModel, free, caller));
  return { deleted: true, id: _id };
});
