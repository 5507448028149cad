import { AppError } from '@webkiln/contract';
import {
  acrossOrganizations,
  defineModel,
  type Filter,
  gatheredById,
  gatheredPage,
  type Owner,
  type Scope,
  type Stored,
} from '@webkiln/store';
import mongoose from 'mongoose';
import { type ProjectState, unpublished } from './project.ts';

export type ProjectRecord = Stored<ProjectState>;

/** Each list (the organization's, a client's, a status') is read off an index in its order, and counted in it without a record. */
export const ProjectModel = defineModel<ProjectState>(
  'projects',
  {
    user_id: { type: String, required: true },
    org_client_id: { type: String, default: null },
    name: { type: String, required: true },
    description: { type: String, default: null },
    status: { type: String, required: true },
    template: { type: String, default: null },
    tags: { type: [String], default: [] },
    starred: { type: Boolean, default: false },
    is_public: { type: Boolean, default: false },
    draft_manifest_id: { type: String, default: null },
    subdomain: { type: String, default: null },
    last_published_at: { type: String, default: null },
    deploys: { type: [mongoose.Schema.Types.Mixed], default: [] },
    deploy_manifest_ids: { type: [String], default: [] },
    live_deploy_id: { type: String, default: null },
    pictured_deploy_id: { type: String, default: null },
    is_suspended: { type: Boolean, default: false },
    created_at: { type: String, required: true },
    updated_at: { type: String, required: true },
  },
  {
    ownedBy: 'user_id',
    indexes: [
      [{ org_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, user_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, org_client_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, status: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, draft_manifest_id: 1 }],
      [{ org_id: 1, deploy_manifest_ids: 1 }],
    ],
    // A name belongs to one project of the whole platform.
    indexesAcross: [[{ subdomain: 1 }, { unique: true, partialFilterExpression: { subdomain: { $gt: '' } } }]],
  },
);

const shownFields = [
  'user_id',
  'org_client_id',
  'name',
  'description',
  'status',
  'template',
  'tags',
  'starred',
  'is_public',
  'subdomain',
  'last_published_at',
  'pictured_deploy_id',
  'created_at',
  'updated_at',
] as const;

const shownById = gatheredById(ProjectModel, shownFields);

/** What is shown of a project; throws `project_not_found` when the organization has none with this id. */
export async function shownProject(scope: Scope, id: string) {
  const project = await shownById(scope, id);
  if (project === null) throw new AppError('project_not_found');
  return project;
}

const wholeById = gatheredById(ProjectModel);

/** The project with its draft and deploys; null when the organization has none with this id. */
export async function projectById(scope: Scope, id: string): Promise<ProjectRecord | null> {
  const project = await wholeById(scope, id);
  return project && { ...unpublished, ...project };
}

/** The project with its draft and deploys; throws `project_not_found`. */
export async function existingProject(scope: Scope, id: string): Promise<ProjectRecord> {
  const project = await projectById(scope, id);
  if (project === null) throw new AppError('project_not_found');
  return project;
}

/** The project that is published under a name, and its organization; null where there is none. */
export async function ownerOfName(subdomain: string): Promise<Owner | null> {
  const [owner] = await acrossOrganizations(ProjectModel).owners('_id', 'created_at', { subdomain });
  return owner ?? null;
}

/** The same as a whole record. */
export async function projectNamed(subdomain: string): Promise<ProjectRecord | null> {
  const owner = await ownerOfName(subdomain);
  return owner && projectById(owner, owner.key);
}

export type ProjectFilter = Filter<ProjectRecord>;

/** One page, newest first, and how many match in all. */
export const projectPage = gatheredPage(ProjectModel, { fields: shownFields, sort: { created_at: -1, _id: 1 } });
