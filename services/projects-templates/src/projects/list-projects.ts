import { handle } from '@webkiln/rpc';
import { containing } from '@webkiln/store';
import { isStatus, mayBeInName, type SiteAddresses, toProject } from './project.ts';
import { type ProjectFilter, projectPage } from './project-store.ts';

const nothing = { projects: [], total: 0 };

export const listProjects = (siteAddresses: SiteAddresses) =>
  handle('projects.ListProjects', async ({ limit, offset, client_id, status, q }, caller) => {
    if (status !== undefined && !isStatus(status)) return nothing;
    if (q !== undefined && !mayBeInName(q)) return nothing;
    const filter: ProjectFilter = {
      ...(client_id !== undefined && { org_client_id: client_id }),
      ...(status !== undefined && { status }),
      ...(q !== undefined && { name: containing(q) }),
    };
    const { records, total } = await projectPage(caller, filter, { limit, offset });
    return { projects: records.map((project) => toProject(project, siteAddresses)), total };
  });
