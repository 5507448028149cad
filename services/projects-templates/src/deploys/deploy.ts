import { AppError, type Deploy, type File } from '@webkiln/contract';
import { Change, type StoredAuthor } from '@webkiln/messages';
import { manifestsDroppedByDraft, replaceDraft } from '../drafts/revision.ts';
import { type SiteAddresses, siteChanges, toProject } from '../projects/project.ts';
import type { ProjectState } from '../projects/project-state.ts';

const maxDeploys = 10;
const publishedFiles = { title: 'Published files', origin: 'publish', turn_id: null } as const;

/** The deploy that a publish makes live. */
interface NewDeploy {
  id: string;
  manifest_id: string;
  tree: readonly File[];
  /** What is new; null if nothing was said. */
  message: string | null;
  author?: StoredAuthor;
}

interface Publishing {
  deploy: NewDeploy;
  /** Chosen at the first publish and never changed. */
  subdomain: string;
  /** The manifest of the new draft. Null leaves the draft as it is. */
  draftManifestId: string | null;
  is_suspended: boolean;
  siteAddresses: SiteAddresses;
  /** ISO 8601. */
  now: string;
}

/** Makes a new deploy live, in one change of the project. Only the latest 10 deploys are kept. */
export function publish(
  current: ProjectState,
  { deploy, draftManifestId, siteAddresses, now, ...fields }: Publishing,
): Change<Partial<ProjectState>> {
  const { tree, ...kept } = deploy;
  const { id, author } = kept;
  const size = tree.reduce((bytes, file) => bytes + file.size, 0);
  const deploys = [{ ...kept, files: tree.length, size, created_at: now }, ...replaced(current, now)].slice(0, maxDeploys);
  const revision = { id, ...publishedFiles, ...(author && { author }), created_at: now };
  const state = {
    ...fields,
    ...(draftManifestId !== null && replaceDraft(current, { ...revision, manifest_id: draftManifestId })),
    deploys,
    deploy_manifest_ids: deploys.map((each) => each.manifest_id),
    live_deploy_id: id,
    last_published_at: now,
    updated_at: now,
  };
  const project = toProject({ ...current, ...state }, siteAddresses);
  return new Change(state, [{ type: 'project.published', data: { project } }, ...siteChanges({ ...current, ...fields })]);
}

/** The deploys once another one is live. */
const replaced = ({ deploys, live_deploy_id }: Pick<ProjectState, 'deploys' | 'live_deploy_id'>, now: string): ProjectState['deploys'] =>
  deploys.map((deploy) => (deploy.id === live_deploy_id ? { ...deploy, replaced_at: now } : deploy));

/** The manifests of the deploys and draft revisions that the next publish drops from the lists. */
export const manifestsDroppedByPublish = (current: ProjectState): string[] => [
  ...current.deploys.slice(maxDeploys - 1).map(({ manifest_id }) => manifest_id),
  ...manifestsDroppedByDraft(current),
];

/** Makes a kept deploy live again. Null if it is live already. Throws `deploy_not_found`. */
export function rollBack(project: ProjectState, id: string, now: string): Change<Partial<ProjectState>> | null {
  const { deploys, live_deploy_id, subdomain } = project;
  if (subdomain === null || !deploys.some((deploy) => deploy.id === id)) throw new AppError('deploy_not_found');
  if (live_deploy_id === id) return null;
  return new Change({ deploys: replaced(project, now), live_deploy_id: id, updated_at: now }, siteChanges(project));
}

/**
 * Records the preview image of a deploy. Null if that deploy is no longer live. `updated_at` stays, because no user
 * changed the project.
 */
export const changePreviewImage = ({ live_deploy_id }: ProjectState, id: string): Change<Partial<ProjectState>> | null =>
  live_deploy_id === id ? new Change({ pictured_deploy_id: id }, []) : null;

/** The public records of the deploys, newest first. */
export const toDeploys = ({ deploys, live_deploy_id }: Pick<ProjectState, 'deploys' | 'live_deploy_id'>): Deploy[] =>
  deploys.map(({ id, files, size, created_at }) => ({ id, live: id === live_deploy_id, files, size, created_at }));
