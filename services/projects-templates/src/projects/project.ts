import {
  AppError,
  type AuditAction,
  changedFields,
  createProjection,
  inputFields,
  Project,
  ProjectStatus,
  updateProject,
} from '@webkiln/contract';
import { auditEvent, type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { type NewRevision, replaceDraft } from '../drafts/revision.ts';
import { computedFields, type ProjectDraft, type ProjectState, type PublicProjectState, unpublished } from './project-state.ts';

const changeable = inputFields(updateProject);
const maxNameLength = 200;

export type ProjectFields = Pick<ProjectState, (typeof changeable)[number]>;

const projectOf = createProjection(Project, computedFields);

/** The public record of the REST API. */
export function toProject(state: PublicProjectState, siteAddresses: SiteAddresses): Project {
  // Documents that are older than publishing lack these fields.
  const { subdomain = null, last_published_at = null, last_opened_at = null, pictured_deploy_id = null, custom_domain_names = [] } = state;
  const project = projectOf(state);
  project.last_opened_at = last_opened_at;
  project.subdomain = subdomain;
  [project.custom_domain = null] = custom_domain_names;
  project.custom_domain_status = project.custom_domain === null ? null : 'active';
  project.published_url = subdomain === null ? null : siteAddresses.site(subdomain);
  project.last_published_at = last_published_at;
  project.preview_image_url = pictured_deploy_id === null ? null : siteAddresses.previewImage(state._id, pictured_deploy_id);
  return project;
}

export const isStatus = (text: string): text is Project['status'] => ProjectStatus.options.some((status) => status === text);

/** False if no project name can contain `part`; then the search needs no query. */
export const canBeInName = (part: string): boolean => part.length <= maxNameLength && !part.includes('\0');

/** Only an active client can own a project: an invited one could not sign in to it. Throws `client_not_active`. */
export function assertCanOwnProject(client: { status: string }): void {
  if (client.status !== 'active') throw new AppError('client_not_active');
}

/** A new, active project and its `project.created` event. `now` is ISO 8601. */
export function initialProject(draft: ProjectDraft, siteAddresses: SiteAddresses, now: string): Change<ProjectState> {
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
  return new Change(project, [{ type: 'project.created', data: { project: toProject(project, siteAddresses) } }]);
}

/** Changes the given fields and `updated_at` (ISO 8601). Null if no field differs. */
export function changeProject(current: ProjectState, wanted: Partial<ProjectFields>, now: string): Change<Partial<ProjectState>> | null {
  const changed = changedFields(current, wanted, changeable);
  return changed && new Change({ ...changed, updated_at: now }, []);
}

/** The project is another client's, which is active: its site is shown. */
export const handOver = (
  current: ProjectState,
  { client_id, user_id }: { client_id: string; user_id: string },
  now: string,
): Change<Partial<ProjectState>> =>
  new Change({ org_client_id: client_id, user_id, is_suspended: false, updated_at: now }, [
    projectMoved(current._id),
    ...siteChanges(current),
  ]);

/** Tells services that keep a project's records by the user who owns it. */
export const projectMoved = (project_id: string): RaisedEvent => ({ type: 'internal.project.moved', data: { project_id } });

/** Replaces the draft's files; a change of the project, so `updated_at` moves. */
export const changeDraft = (current: ProjectState, revision: NewRevision): Change<Partial<ProjectState>> =>
  new Change({ ...replaceDraft(current, revision), updated_at: revision.created_at }, []);

/** Tells services that cache sites that the content under `name` changed. */
export const siteChanged = (project_id: string, name: string): RaisedEvent => ({
  type: 'internal.site.changed',
  data: { project_id, name },
});

/** The same for all names of a site. Empty if it was never published. */
export const siteChanges = ({
  _id,
  subdomain,
  custom_domain_names,
}: Pick<ProjectState, '_id' | 'subdomain' | 'custom_domain_names'>): RaisedEvent[] =>
  [...(subdomain === null ? [] : [subdomain]), ...custom_domain_names].map((name) => siteChanged(_id, name));

/**
 * Suspends or resumes the site with its client. Saved even if nothing changes: the new revision makes a concurrent
 * publish retry with the current status.
 */
export const applyClientStatus = (project: ProjectState, suspended: boolean): Change<Partial<ProjectState>> =>
  new Change({ is_suspended: suspended }, suspended === project.is_suspended ? [] : siteChanges(project));

/** Acts of agents are audited, which a person may not have looked at. Those of programs are in the request log. */
export const auditedIfByAgent = (caller: Caller, action: AuditAction, project: Pick<ProjectState, '_id' | 'name'>): RaisedEvent[] =>
  caller.principal.agent === undefined ? [] : [projectAudited(caller, action, project)];

/** The audit event of an act on a project. */
export const projectAudited = (caller: Caller, action: AuditAction, { _id, name }: Pick<ProjectState, '_id' | 'name'>) =>
  auditEvent(caller, action, { kind: 'project', id: _id, name });

export function projectDeleted(project: ProjectState): [RaisedEvent, ...RaisedEvent[]] {
  const { _id, org_client_id } = project;
  return [{ type: 'internal.project.deleted', data: { project_id: _id, org_client_id } }, ...siteChanges(project)];
}

/** All manifests that the project references. */
export const manifestsOf = ({ draft_manifest_id, draft_revision_manifest_ids, deploy_manifest_ids }: ProjectState): string[] => [
  ...(draft_manifest_id === null ? [] : [draft_manifest_id]),
  ...draft_revision_manifest_ids,
  ...deploy_manifest_ids,
];

/** True if its client joined by a link: what it uses counts on the share of such clients. */
export const isOfJoined = ({ joined_place }: Pick<ProjectState, 'joined_place'>): boolean => typeof joined_place === 'number';

/** The public addresses of sites and previews. */
export interface SiteAddresses {
  site(name: string): string;
  preview(token: string): string;
  /** The image of the first page of a deploy. */
  previewImage(projectId: string, deployId: string): string;
}

export interface PublicAddresses {
  /** The address of the platform itself. */
  readonly origin: string;
  readonly siteAddresses: SiteAddresses;
}

export const builderUrl = (origin: string, projectId: string): string => `${origin}/builder/${projectId}`;

/**
 * A site's name is the first label below the host of `sitesOrigin`. A preview's token is the first label below the host
 * of `previewOrigin`, and preview images are below its label "images".
 */
export function siteAddressesAt(sitesOrigin: string, previewOrigin: string): SiteAddresses {
  const [sites, previews] = [new URL(sitesOrigin), new URL(previewOrigin)];
  const images = `${previews.protocol}//images.${previews.host}`;
  return {
    site: (name) => `${sites.protocol}//${name}.${sites.host}`,
    preview: (token) => `${previews.protocol}//${token}.${previews.host}`,
    previewImage: (projectId, deployId) => `${images}/${projectId}/${deployId}.png`,
  };
}
