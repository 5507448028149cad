import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { batchedById, coalescedPage, etagOf, type Filter, fieldsOf, type Scope, searchFilter } from '@webkiln/store';
import { canBeInName, isStatus, type SiteAddresses, toProject } from './project.ts';
import { StoredProject } from './project-state.ts';
import { ProjectModel, type ProjectRecord } from './project-store.ts';

const displayFields = [...fieldsOf(StoredProject), 'pictured_deploy_id', 'custom_domain_names'] as const;

const displayById = batchedById(ProjectModel, displayFields);

/** The fields for `toProject`. Throws `project_not_found` if the organization has no such project. */
export async function projectForDisplay(scope: Scope, id: string) {
  const project = await displayById(scope, id);
  if (project === null) throw new AppError('project_not_found');
  return project;
}

/** One page, newest first, and the total number of matches. */
const projectPage = coalescedPage(ProjectModel, { fields: displayFields, sort: { created_at: -1, _id: 1 } });

const emptyPage = { projects: [], total: 0, next_cursor: '' };

export const listProjects = (siteAddresses: SiteAddresses) =>
  handle('projects.ListProjects', async ({ limit, offset, cursor, client_id, status, q }, caller) => {
    if (status !== undefined && !isStatus(status)) return emptyPage;
    if (q !== undefined && !canBeInName(q)) return emptyPage;
    const { project_id } = caller.principal;
    const filter: Filter<ProjectRecord> = {
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
