import { acrossOrganizations, type Owner } from '@webkiln/store';
import { ProjectModel, type ProjectRecord, projectById } from './project-store.ts';

/** The id (`key`) and organization of the project that is published under a subdomain. Null if there is none. */
export async function ownerOfSubdomain(subdomain: string): Promise<Owner | null> {
  const [owner] = await acrossOrganizations(ProjectModel).owners('_id', 'created_at', { subdomain });
  return owner ?? null;
}

/** The same for a custom domain. */
export async function ownerOfCustomDomain(custom_domain_names: string): Promise<Owner | null> {
  const [owner] = await acrossOrganizations(ProjectModel).owners('_id', 'created_at', { custom_domain_names });
  return owner ?? null;
}

/** The project that is live under a subdomain or a custom domain, in any organization. Null if there is none. */
export async function projectBySiteName(name: string): Promise<ProjectRecord | null> {
  const owner = await (name.includes('.') ? ownerOfCustomDomain(name) : ownerOfSubdomain(name));
  return owner && projectById(owner, owner.key);
}

/** The project with this id, in any organization. Null if there is none. */
export async function projectAnywhere(_id: string): Promise<ProjectRecord | null> {
  const [owner] = await acrossOrganizations(ProjectModel).owners('_id', 'created_at', { _id });
  return owner === undefined ? null : projectById(owner, owner.key);
}
