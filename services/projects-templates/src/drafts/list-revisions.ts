import { handle } from '@webkiln/rpc';
import { existingProject } from '../projects/project-store.ts';
import { revisionsOf, toRevision } from './revision.ts';

export const listRevisions = handle('projects.ListRevisions', async ({ project_id, limit, offset }, caller) => {
  const project = await existingProject(caller, project_id);
  const revisions = revisionsOf(project);
  const page = revisions.slice(offset, limit === undefined ? undefined : offset + limit);
  return { revisions: page.map((revision) => toRevision(revision, project)), total: revisions.length };
});
