import { handle } from '@webkiln/rpc';
import { etagOf, searchFilter } from '@webkiln/store';
import { canBeInName, isStatus, type SiteAddresses, toProject } from './project.ts';
import { type ProjectFilter, ProjectModel, projectForDisplay, projectPage } from './project-store.ts';

const emptyPage = { projects: [], total: 0, next_cursor: '' };

export const listProjects = (siteAddresses: SiteAddresses) =>
  handle('projects.ListProjects', async ({ limit, offset, cursor, client_id, status, q }, caller) => {
    if (status !== undefined && !isStatus(status)) return emptyPage;
    if (q !== undefined && !canBeInName(q)) return emptyPage;
    const { project_id } = caller.principal;
    const filter: ProjectFilter = {
      ...(project_id !== undefined && { _id: project_id }),
      ...(client_id !== undefined && { org_client_id: client_id }),
      ...(status !== undefined && { status }),
      ...(q !== undefined && q !== '' && (await searchFilter(ProjectModel, caller, q))),
    };
    const { records, total, next_cursor } = await projectPage(caller, filter, { limit, offset, cursor });
    return { projects: records.map((project) => toProject(project, siteAddresses)), total, next_cursor };
  });

export const getProject = (siteAddresses: SiteAddresses) =>
  handle('projects.GetProject', async ({ project_id }, caller) => {
    const project = await projectForDisplay(caller, project_id);
    return { project: toProject(project, siteAddresses), etag: etagOf(project) };
  });
