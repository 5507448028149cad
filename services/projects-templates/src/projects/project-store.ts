import { AppError } from '@webkiln/contract';
import {
  acrossOrganizations,
  batchedById,
  defineModel,
  definitionOf,
  type Owner,
  placeIndex,
  type Scope,
  type Stored,
  scoped,
} from '@webkiln/store';
import mongoose from 'mongoose';
import { type ProjectState, StoredProject, unpublished } from './project-state.ts';

export type ProjectRecord = Stored<ProjectState>;

/** Each list (by organization, client or status) has an index that sorts it and counts it without reading documents. */
export const ProjectModel = defineModel<ProjectState>(
  'projects',
  {
    ...definitionOf(StoredProject),
    tags: { type: [String], default: [] },
    draft_manifest_id: { type: String, default: null },
    draft_revision: { type: mongoose.Schema.Types.Mixed, default: null },
    draft_revisions: { type: [mongoose.Schema.Types.Mixed], default: [] },
    draft_revision_manifest_ids: { type: [String], default: [] },
    deploys: { type: [mongoose.Schema.Types.Mixed], default: [] },
    deploy_manifest_ids: { type: [String], default: [] },
    live_deploy_id: { type: String, default: null },
    pictured_deploy_id: { type: String, default: null },
    is_suspended: { type: Boolean, default: false },
    clears_storage_until: { type: String, default: null },
    custom_domain_names: { type: [String], default: [] },
    taken_down_at: { type: String, default: null },
    taken_down_reason: { type: String, default: null },
    place: { type: Number, default: null },
    site_place: { type: Number, default: null },
    joined_place: { type: Number, default: null },
  },
  {
    exportedAs: 'projects',
    raisesEvents: true,
    ownedBy: 'user_id',
    searched: 'name',
    indexes: [
      [{ org_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, user_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, user_id: 1, status: 1, last_opened_at: -1, created_at: -1 }],
      [{ org_id: 1, org_client_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, status: 1, created_at: -1, _id: 1 }],
      placeIndex('place'),
      placeIndex('site_place', 'org_client_id'),
      placeIndex('joined_place'),
      [{ org_id: 1, draft_manifest_id: 1 }],
      [{ org_id: 1, draft_revision_manifest_ids: 1 }],
      [{ org_id: 1, deploy_manifest_ids: 1 }],
    ],
    // Names of sites are unique across all organizations.
    indexesAcross: [
      [{ subdomain: 1 }, { unique: true, partialFilterExpression: { subdomain: { $gt: '' } } }],
      [{ custom_domain_names: 1 }, { unique: true, partialFilterExpression: { custom_domain_names: { $gt: '' } } }],
    ],
  },
);

const wholeById = batchedById(ProjectModel);

/** The project with its draft and deploys. Null if the organization has no such project. */
export async function projectById(scope: Scope, id: string): Promise<ProjectRecord | null> {
  const project = await wholeById(scope, id);
  return project && { ...unpublished, ...project };
}

/**
 * The project with its draft and deploys. Throws `missing`: where a path names a record of a project, both are missing
 * alike.
 */
export async function existingProject(
  scope: Scope,
  id: string,
  missing: 'project_not_found' | 'revision_not_found' | 'domain_not_found' | 'picture_not_found' = 'project_not_found',
): Promise<ProjectRecord> {
  const project = await projectById(scope, id);
  if (project === null) throw new AppError(missing);
  return project;
}

/** The project of the scope's user that was opened last, or made last if none was. Null if there is none. */
export async function lastOpenedProject(scope: Scope): Promise<ProjectRecord | null> {
  const sort = { last_opened_at: -1, created_at: -1 } as const;
  const [last] = await scoped(ProjectModel, scope).find({ status: 'active' }, { sort, limit: 1 });
  return last === undefined ? null : { ...unpublished, ...last };
}

/** The id (`key`) and organization of the project that is published under a subdomain. Null if there is none. */
async function ownerOfSubdomain(subdomain: string): Promise<Owner | null> {
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
  // No index has records without a name.
  if (name === '') return null;
  const owner = await (name.includes('.') ? ownerOfCustomDomain(name) : ownerOfSubdomain(name));
  return owner && projectById(owner, owner.key);
}

/** The project with this id, in any organization. Null if there is none. */
export async function projectAnywhere(_id: string): Promise<ProjectRecord | null> {
  const [owner] = await acrossOrganizations(ProjectModel).owners('_id', 'created_at', { _id });
  return owner === undefined ? null : projectById(owner, owner.key);
}
