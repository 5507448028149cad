import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toProject } from './project.ts';
import { projectForDisplay } from './project-store.ts';
import type { SiteAddresses } from './site-addresses.ts';

export const getProject = (siteAddresses: SiteAddresses) =>
  handle('projects.GetProject', async ({ project_id }, caller) => {
    const project = await projectForDisplay(caller, project_id);
    return { project: toProject(project, siteAddresses), etag: etagOf(project) };
  });
