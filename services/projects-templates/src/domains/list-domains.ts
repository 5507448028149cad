import type { SiteDomain } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { existingProject, type ProjectRecord } from '../projects/project-store.ts';
import type { SiteAddresses } from '../projects/site-addresses.ts';
import { toDomain } from './domain.ts';
import { domainsOf } from './domain-store.ts';

export const listDomains = (addresses: SiteAddresses) =>
  handle('projects.ListDomains', async ({ project_id }, caller) => {
    const project = await existingProject(caller, project_id);
    const custom = await domainsOf(caller.principal, project_id);
    const domains = [...ownSubdomain(project, addresses), ...custom.map((domain) => toDomain(domain, project.custom_domain_names))];
    return { domains, total: domains.length };
  });

/** The address that a published site has by itself. It has the id of its project, as it is not stored apart. */
export function ownSubdomain({ _id, subdomain, custom_domain_names, created_at }: ProjectRecord, addresses: SiteAddresses): SiteDomain[] {
  if (subdomain === null) return [];
  const name = new URL(addresses.site(subdomain)).hostname;
  const live = { status: 'active', ssl_status: 'active', is_primary: custom_domain_names.length === 0 } as const;
  return [{ id: _id, name, type: 'subdomain', ...live, dns_records: [], error: null, last_checked_at: null, created_at }];
}
