import { AppError, type SiteDomain } from '@webkiln/contract';
import { Change, type IncomingCaller } from '@webkiln/messages';
import { isDuplicate, saveChange, saveWithRetry } from '@webkiln/store';
import { siteChanged } from '../projects/project.ts';
import { existingProject, ProjectModel } from '../projects/project-store.ts';
import type { SiteAddresses } from '../projects/site-addresses.ts';
import { subdomainName } from './domain-name.ts';
import { ownSubdomain } from './list-domains.ts';

/** The old name is free for others at once. Throws `subdomain_taken`, `site_not_published`. */
export async function changeSubdomain(
  project_id: string,
  wanted: string,
  caller: IncomingCaller,
  addresses: SiteAddresses,
): Promise<SiteDomain> {
  const subdomain = subdomainName(wanted);
  const project = await saveWithRetry(caller, async () => {
    const current = await existingProject(caller, project_id);
    if (current.subdomain === null) throw new AppError('site_not_published');
    if (current.subdomain === subdomain) return current;
    const events = [siteChanged(project_id, current.subdomain), siteChanged(project_id, subdomain)];
    const state = { subdomain, updated_at: new Date().toISOString() };
    return saveChange(ProjectModel, caller, current, new Change(state, events));
  }).catch((error: unknown) => {
    throw isDuplicate(error, 'subdomain') ? new AppError('subdomain_taken') : error;
  });
  const [domain] = ownSubdomain(project, addresses);
  if (domain === undefined) throw new AppError('site_not_published');
  return domain;
}
