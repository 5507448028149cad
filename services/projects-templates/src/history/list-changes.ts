import type { File, FileChange } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { isPublished } from '../files/file-tree.ts';
import { filesOf } from '../files/manifest-store.ts';
import { existingProject } from '../projects/project-store.ts';
import { comparedWith, existingVersion } from './version.ts';

export const listChanges = handle('projects.ListChanges', async ({ project_id, revision_id, against }, caller) => {
  const project = await existingProject(caller, project_id, 'revision_not_found');
  const version = existingVersion(project, revision_id);
  const before = comparedWith(project, version, against);
  const [now = [], old = []] = await Promise.all([version, before].map((each) => filesOf(caller.principal, each?.manifest_id ?? null)));
  return { changes: changesBetween(old.filter(isPublished), now.filter(isPublished)), before_id: before?.id };
});

function changesBetween(old: readonly File[], now: readonly File[]): FileChange[] {
  const after = new Map(now.map((file) => [file.path, file]));
  const before = new Map(old.map((file) => [file.path, file]));
  const removed = old.filter(({ path }) => !after.has(path)).map((file) => change('removed', file, null));
  const others = now.flatMap((file) => {
    const known = before.get(file.path);
    if (known === undefined) return change('added', null, file);
    return known.sha256 === file.sha256 ? [] : change('changed', known, file);
  });
  return [...removed, ...others].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const change = (kind: FileChange['change'], before: File | null, after: File | null): FileChange => ({
  path: (after ?? before)?.path ?? '',
  change: kind,
  before,
  after,
});
