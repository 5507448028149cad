import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toProject } from './project.ts';
import { shownProject } from './project-store.ts';

export const getProject = handle('projects.GetProject', async ({ project_id }, caller) => {
  const project = await shownProject(caller, project_id);
  return { project: toProject(project), etag: etagOf(project) };
});
