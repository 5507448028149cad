import { handle } from '@webkiln/rpc';
import { existingProject } from '../projects/project-store.ts';
import { checkDomain } from './check-domain.ts';
import { toDomain } from './domain.ts';
import { existingDomain } from './domain-store.ts';
import type { DomainLookups } from './look-up.ts';

/** Also looks again for a domain that failed. */
export const verifyDomain = (lookups: DomainLookups) =>
  handle('projects.VerifyDomain', async ({ project_id, domain_id }, caller) => {
    await existingProject(caller, project_id, 'domain_not_found');
    const domain = await checkDomain(await existingDomain(caller.principal, project_id, domain_id), lookups);
    const { custom_domain_names } = await existingProject(caller, project_id);
    return { domain: toDomain(domain, custom_domain_names) };
  });
