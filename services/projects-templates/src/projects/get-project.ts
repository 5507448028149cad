import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { type SiteUrl, toProject } from './project.ts';
import { shownProject } from './project-store.ts';

export const getProject = (siteUrl: SiteUrl) =>
  handle('projects.GetProject', async ({ project_id }, caller) => {
    const project = await shownProject(caller, project_id);
    return { project: toProject(project, siteUrl), etag: etagOf(project) };
  });
