import type { Draft, File } from '@webkiln/contract';
import { isPublished } from '../files/file-tree.ts';
import type { ProjectState } from '../projects/project-state.ts';
import { currentRevision } from './revision.ts';

const maxNamed = 20;

/** The manifest of what visitors see. Null if nothing was published. */
export const liveManifestOf = ({ deploys, live_deploy_id }: Pick<ProjectState, 'deploys' | 'live_deploy_id'>): string | null =>
  deploys.find(({ id }) => id === live_deploy_id)?.manifest_id ?? null;

/** The public record of a draft with these files, beside those that are live. */
export function toDraft(project: ProjectState, files: readonly File[], live: readonly File[]): Draft {
  const revision = currentRevision(project);
  const [now, before] = [files, live].map((tree) => new Map(tree.filter(isPublished).map(({ path, sha256 }) => [path, sha256])));
  const added: string[] = [];
  const changed: string[] = [];
  for (const [path, sha256] of now ?? []) {
    const old = before?.get(path);
    if (old === undefined) added.push(path);
    else if (old !== sha256) changed.push(path);
  }
  const removed = [...(before?.keys() ?? [])].filter((path) => !now?.has(path));
  return {
    revision_id: revision?.id ?? null,
    changed_at: revision?.created_at ?? null,
    files: files.length,
    size: files.reduce((bytes, { size }) => bytes + size, 0),
    up_to_date: added.length + changed.length + removed.length === 0,
    added: named(added),
    changed: named(changed),
    removed: named(removed),
  };
}

const named = (paths: readonly string[]) => ({ count: paths.length, paths: paths.slice(0, maxNamed) });

/** The entity tag of a draft: its revision. */
export const draftEtag = (project: ProjectState): string => `"${currentRevision(project)?.id ?? 'none'}"`;
