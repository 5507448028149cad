import { handle } from '@webkiln/rpc';
import { containing } from '@webkiln/store';
import { canBeInName, isStatus, toProject } from './project.ts';
import { type ProjectFilter, projectPage } from './project-store.ts';
import type { SiteAddresses } from './site-addresses.ts';

const emptyPage = { projects: [], total: 0 };

export const listProjects = (siteAddresses: SiteAddresses) =>
  handle('projects.ListProjects', async ({ limit, offset, client_id, status, q }, caller) => {
    if (status !== undefined && !isStatus(status)) return emptyPage;
    if (q !== undefined && !canBeInName(q)) return emptyPage;
    const filter: ProjectFilter = {
      ...(client_id !== undefined && { org_client_id: client_id }),
      ...(status !== undefined && { status }),
      ...(q !== undefined && { name: containing(q) }),
    };
    const { records, total } = await projectPage(caller, filter, { limit, offset });
    return { projects: records.map((project) => toProject(project, siteAddresses)), total };
  });
