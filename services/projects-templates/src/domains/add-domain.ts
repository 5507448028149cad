import { AppError, type SiteDomain } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { assertPlanAllows } from '../plan-rights.ts';
import { existingProject } from '../projects/project-store.ts';
import { ownerOfCustomDomain } from '../projects/projects-anywhere.ts';
import type { SiteAddresses } from '../projects/site-addresses.ts';
import { changeSubdomain } from './change-subdomain.ts';
import { newToken, toDomain } from './domain.ts';
import { domainName, type Target } from './domain-name.ts';
import { insertDomain } from './domain-store.ts';
import { wantedRecords } from './look-up.ts';

export const addDomain = (target: Target, addresses: SiteAddresses) =>
  handle('projects.AddDomain', async ({ project_id, domain, subdomain }, caller) => {
    if ((domain === undefined) === (subdomain === undefined)) {
      throw new AppError('validation_failed', [{ path: '', message: 'The body must have either domain or subdomain' }]);
    }
    if (subdomain !== undefined) return { domain: await changeSubdomain(project_id, subdomain, caller, addresses) };
    return { domain: await addCustomDomain(project_id, domainName(domain ?? '', target), caller, target) };
  });

async function addCustomDomain(project_id: string, name: string, caller: IncomingCaller, target: Target): Promise<SiteDomain> {
  const project = await existingProject(caller, project_id);
  await assertPlanAllows('can_use_custom_domain', project, caller);
  const owner = await ownerOfCustomDomain(name);
  if (owner !== null && owner.key !== project_id) throw new AppError('domain_taken');
  const now = new Date();
  const dns_records = wantedRecords(name, newToken(), target);
  const added = await insertDomain(caller.principal, {
    ...{ _id: newId(caller), project_id, name, status: 'pending', dns_records },
    ...{ error: null, last_checked_at: null, created_at: now.toISOString(), checks: 0, next_check_at: now },
  });
  return toDomain(added, project.custom_domain_names);
}
