import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { type SiteAddresses, toProject } from './project.ts';
import { shownProject } from './project-store.ts';

export const getProject = (siteAddresses: SiteAddresses) =>
  handle('projects.GetProject', async ({ project_id }, caller) => {
    const project = await shownProject(caller, project_id);
    return { project: toProject(project, siteAddresses), etag: etagOf(project) };
  });
