import { AppError, type Change, changedFields, type Project, ProjectStatus, type RaisedEvent } from '@webkiln/contract';

/** A published state of a project's files, as it stands in the project; `created_at` is ISO 8601, see project.ts. */
export interface DeployState {
  id: string;
  manifest_id: string;
  files: number;
  /** Bytes of all files together. */
  size: number;
  created_at: string;
}

/**
 * A project as it is kept. Times are ISO 8601 in UTC with milliseconds, as they are shown: of one length they sort as text like the
 * moments they are, and a reading spares turning a date into text, which costs more than half of reading the record itself.
 */
export interface ProjectState {
  _id: string;
  org_id: string;
  user_id: string;
  org_client_id: string | null;
  name: string;
  description: string | null;
  status: Project['status'];
  template: string | null;
  tags: string[];
  starred: boolean;
  is_public: boolean;
  draft_manifest_id: string | null;
  /** The name under which it is published; null until then. */
  subdomain: string | null;
  last_published_at: string | null;
  /** The last ones, newest first. */
  deploys: DeployState[];
  /** Those of the deploys, by which the files of a deploy are known to be in use. */
  deploy_manifest_ids: string[];
  live_deploy_id: string | null;
  /** The last deploy of which there is a picture: it shows until there is one of the live deploy. */
  pictured_deploy_id: string | null;
  /** Whether its client is suspended or gone, so that visitors see a notice in its place. */
  is_suspended: boolean;
  created_at: string;
  updated_at: string;
}

export type ProjectDraft = Pick<
  ProjectState,
  '_id' | 'org_id' | 'user_id' | 'org_client_id' | 'name' | 'description' | 'template' | 'draft_manifest_id'
>;

/** What a project is before its first publish, and a record from before there was publishing. */
export const unpublished = {
  subdomain: null,
  last_published_at: null,
  deploys: [],
  deploy_manifest_ids: [],
  live_deploy_id: null,
  pictured_deploy_id: null,
  is_suspended: false,
} as const satisfies Partial<ProjectState>;

/** What the fields shown are made of. */
export type ShownProject = Omit<ProjectState, 'draft_manifest_id' | 'deploys' | 'deploy_manifest_ids' | 'live_deploy_id' | 'is_suspended'>;

/** Where published sites are, and previews. */
export interface SiteAddresses {
  /** The site that is published under a name. */
  site(name: string): string;
  /** The preview that a token leads to. */
  preview(token: string): string;
  /** The picture of a deploy's first page. */
  previewImage(projectId: string, deployId: string): string;
}

/** The platform's own address, and those of the sites on it. */
export interface PublicAddresses {
  readonly origin: string;
  readonly siteAddresses: SiteAddresses;
}

export const builderUrl = (origin: string, projectId: string): string => `${origin}/builder/${projectId}`;

const changeable = ['name', 'description', 'status', 'tags', 'starred', 'is_public'] as const satisfies readonly (keyof ProjectState)[];
const longestName = 200;

export type ProjectFields = Pick<ProjectState, (typeof changeable)[number]>;

/** The REST shape. */
export function toProject(shown: ShownProject, siteAddresses: SiteAddresses): Project {
  // Absent in records from before there was publishing.
  const { subdomain = null, last_published_at = null, pictured_deploy_id = null, ...project } = shown;
  return {
    id: project._id,
    user_id: project.user_id,
    org_id: project.org_id,
    org_client_id: project.org_client_id,
    name: project.name,
    description: project.description,
    status: project.status,
    template: project.template,
    tags: project.tags,
    starred: project.starred,
    is_public: project.is_public,
    subdomain,
    custom_domain: null,
    custom_domain_status: null,
    published_url: subdomain === null ? null : siteAddresses.site(subdomain),
    last_published_at,
    preview_image_url: pictured_deploy_id === null ? null : siteAddresses.previewImage(project._id, pictured_deploy_id),
    created_at: project.created_at,
    updated_at: project.updated_at,
    last_opened_at: null,
  };
}

export const isStatus = (text: string): text is Project['status'] => ProjectStatus.options.some((status) => status === text);

/** False for what no name can contain, so that it need not be looked for. */
export const mayBeInName = (part: string): boolean => part.length <= longestName && !part.includes('\0');

/** A project goes to a client who can sign in to it: an invited one would own a site nobody can open. */
export function assertMayOwn(client: { status: string }): void {
  if (client.status !== 'active') throw new AppError('client_not_active');
}

/** A new project, active from the start. `now` is ISO 8601. */
export function openProject(draft: ProjectDraft, siteAddresses: SiteAddresses, now: string): Change<ProjectState> {
  const project: ProjectState = {
    ...draft,
    status: 'active',
    tags: [],
    starred: false,
    is_public: false,
    ...unpublished,
    created_at: now,
    updated_at: now,
  };
  return { state: project, events: [{ type: 'project.created', data: { project: toProject(project, siteAddresses) } }] };
}

/** The change to the wanted fields, with its moment (ISO 8601); null when nothing differs. */
export function changeProject(current: ProjectState, wanted: Partial<ProjectFields>, now: string): Change<Partial<ProjectState>> | null {
  const changed = changedFields(current, wanted, changeable);
  return changed && { state: { ...changed, updated_at: now }, events: [] };
}

/** Other files are another state of the project. */
export const changeDraft = (draft_manifest_id: string, now: string): Change<Partial<ProjectState>> => ({
  state: { draft_manifest_id, updated_at: now },
  events: [],
});

/** Visitors see something else under the name from now on. */
export const siteChanged = (project_id: string, name: string): RaisedEvent => ({
  type: 'internal.site.changed',
  data: { project_id, name },
});

/** The client's status shows on the sites that are published; saved in any case, so that no publish goes by a status from before. */
export const followClient = ({ _id, subdomain, is_suspended }: ProjectState, suspended: boolean): Change<Partial<ProjectState>> => ({
  state: { is_suspended: suspended },
  events: subdomain === null || suspended === is_suspended ? [] : [siteChanged(_id, subdomain)],
});

export function projectDeleted({ _id, org_client_id, subdomain }: ProjectState): [RaisedEvent, ...RaisedEvent[]] {
  const deleted: RaisedEvent = { type: 'internal.project.deleted', data: { project_id: _id, org_client_id } };
  return subdomain === null ? [deleted] : [deleted, siteChanged(_id, subdomain)];
}

/** The manifests that the project refers to. */
export const manifestsOf = ({ draft_manifest_id, deploy_manifest_ids }: ProjectState): string[] =>
  draft_manifest_id === null ? deploy_manifest_ids : [draft_manifest_id, ...deploy_manifest_ids];
