import { AppError, type Change, changedFields, type Project, ProjectStatus, type RaisedEvent } from '@webkiln/contract';

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
  created_at: string;
  updated_at: string;
}

export type ProjectDraft = Pick<
  ProjectState,
  '_id' | 'org_id' | 'user_id' | 'org_client_id' | 'name' | 'description' | 'template' | 'draft_manifest_id'
>;

/** What the fields shown are made of. */
export type ShownProject = Omit<ProjectState, 'draft_manifest_id'>;

const changeable = ['name', 'description', 'status', 'tags', 'starred', 'is_public'] as const satisfies readonly (keyof ProjectState)[];
const longestName = 200;

export type ProjectFields = Pick<ProjectState, (typeof changeable)[number]>;

/** The REST shape. */
export const toProject = (project: ShownProject): Project => ({
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
  subdomain: null,
  custom_domain: null,
  custom_domain_status: null,
  published_url: null,
  last_published_at: null,
  preview_image_url: null,
  created_at: project.created_at,
  updated_at: project.updated_at,
  last_opened_at: null,
});

export const isStatus = (text: string): text is Project['status'] => ProjectStatus.options.some((status) => status === text);

/** False for what no name can contain, so that it need not be looked for. */
export const mayBeInName = (part: string): boolean => part.length <= longestName && !part.includes('\0');

/** A project goes to a client who can sign in to it: an invited one would own a site nobody can open. */
export function assertMayOwn(client: { status: string }): void {
  if (client.status !== 'active') throw new AppError('client_not_active');
}

/** A new project, active from the start. `now` is ISO 8601. */
export function openProject(draft: ProjectDraft, now: string): Change<ProjectState> {
  const project: ProjectState = {
    ...draft,
    status: 'active',
    tags: [],
    starred: false,
    is_public: false,
    created_at: now,
    updated_at: now,
  };
  return { state: project, events: [{ type: 'project.created', data: { project: toProject(project) } }] };
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

export const projectDeleted = ({ _id, org_client_id }: Pick<ProjectState, '_id' | 'org_client_id'>): RaisedEvent => ({
  type: 'internal.project.deleted',
  data: { project_id: _id, org_client_id },
});
