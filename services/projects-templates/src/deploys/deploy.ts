import { AppError, type Change, type Deploy, type File } from '@webkiln/contract';
import { type ProjectState, type SiteAddresses, siteChanged, toProject } from '../projects/project.ts';

const mostDeploys = 10;

/** What a publish makes live. */
export interface NewDeploy {
  id: string;
  manifest_id: string;
  tree: readonly File[];
}

interface Publishing {
  deploy: NewDeploy;
  /** Chosen at the first publish, kept for good. */
  subdomain: string;
  /** The draft as it is to be. */
  draft_manifest_id: string | null;
  is_suspended: boolean;
  siteAddresses: SiteAddresses;
  /** ISO 8601. */
  now: string;
}

/** The switch to a new deploy: all of it in one change of the project. The last 10 deploys are kept. */
export function publish(current: ProjectState, { deploy, siteAddresses, now, ...fields }: Publishing): Change<Partial<ProjectState>> {
  const { id, manifest_id, tree } = deploy;
  const size = tree.reduce((bytes, file) => bytes + file.size, 0);
  const deploys = [{ id, manifest_id, files: tree.length, size, created_at: now }, ...current.deploys].slice(0, mostDeploys);
  const state = {
    ...fields,
    deploys,
    deploy_manifest_ids: deploys.map((kept) => kept.manifest_id),
    live_deploy_id: id,
    last_published_at: now,
    updated_at: now,
  };
  const project = toProject({ ...current, ...state }, siteAddresses);
  return { state, events: [{ type: 'project.published', data: { project } }, siteChanged(current._id, fields.subdomain)] };
}

/** The manifests that a further deploy takes out of the list. */
export const droppedBy = ({ deploys }: ProjectState): string[] => deploys.slice(mostDeploys - 1).map(({ manifest_id }) => manifest_id);

/** The switch back to a deploy that is kept; null when it is live. Throws `deploy_not_found`. */
export function rollBack(
  { _id, deploys, live_deploy_id, subdomain }: ProjectState,
  id: string,
  now: string,
): Change<Partial<ProjectState>> | null {
  if (subdomain === null || !deploys.some((deploy) => deploy.id === id)) throw new AppError('deploy_not_found');
  if (live_deploy_id === id) return null;
  return { state: { live_deploy_id: id, updated_at: now }, events: [siteChanged(_id, subdomain)] };
}

/** There is a picture of a deploy. It is no change that the project's people made, so `updated_at` stays; null when that deploy is not live any more. */
export const picture = ({ live_deploy_id }: ProjectState, id: string): Change<Partial<ProjectState>> | null =>
  live_deploy_id === id ? { state: { pictured_deploy_id: id }, events: [] } : null;

/** The REST shapes, newest first. */
export const toDeploys = ({ deploys, live_deploy_id }: Pick<ProjectState, 'deploys' | 'live_deploy_id'>): Deploy[] =>
  deploys.map(({ id, files, size, created_at }) => ({ id, live: id === live_deploy_id, files, size, created_at }));
