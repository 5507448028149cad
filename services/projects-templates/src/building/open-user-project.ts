import { AppError } from '@webkiln/contract';
import { Change, type IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { insertChange, saveChange, saveWithRetry, scoped } from '@webkiln/store';
import { assertInternal } from '../authorize.ts';
import { assertBeforeDeadline } from '../deadline.ts';
import { initialProject, projectMoved, type SiteAddresses, toProject } from '../projects/project.ts';
import { insertAtPlaces, moveToClient } from '../projects/project-places.ts';
import { existingProject, lastOpenedProject, ProjectModel, type ProjectRecord, projectById } from '../projects/project-store.ts';
import { existingTemplate } from '../templates/template-store.ts';

type Request = IncomingRequest<'projects.OpenUserProject'>;

/** The project that a user of an agency's program builds. */
export const openUserProject = (siteAddresses: SiteAddresses) =>
  handle('projects.OpenUserProject', (request, caller) => {
    assertInternal(caller);
    return saveWithRetry(caller, async () => {
      const project = await wantedProject(request, caller, siteAddresses);
      const last_opened_at = new Date().toISOString();
      const opened = await saveChange(ProjectModel, caller, project, new Change({ last_opened_at }, []));
      return { project: toProject(opened, siteAddresses) };
    });
  });

async function wantedProject(request: Request, caller: IncomingCaller, siteAddresses: SiteAddresses): Promise<ProjectRecord> {
  if (request.project_id !== undefined) return existingProject(caller, request.project_id);
  const made = await projectById(caller, request.new_project_id);
  const last = made ?? (request.create ? null : await lastOpenedProject(caller));
  return last ?? insertProject(request, caller, siteAddresses);
}

async function insertProject(request: Request, caller: IncomingCaller, siteAddresses: SiteAddresses): Promise<ProjectRecord> {
  const { org_id, user_id } = caller.principal;
  if (user_id === undefined) throw new AppError('project_not_found');
  const template = request.template_id ?? null;
  const draft = {
    _id: request.new_project_id,
    ...{ org_id, user_id, name: request.name, description: null, template },
    org_client_id: request.client_id ?? null,
    draft_manifest_id: template === null ? null : (await existingTemplate({ org_id }, template)).manifest_id,
  };
  const change = initialProject(draft, siteAddresses, new Date().toISOString());
  return insertAtPlaces(caller, request, async (places) => {
    assertBeforeDeadline(caller);
    return insertChange(ProjectModel, caller, change.withState(places));
  });
}

const atOnce = 100;

/** The projects count on the client's plan, also those that are more than it allows. */
export const moveProjects = handle('projects.MoveProjects', async ({ from_user_id, user_id, client_id }, caller) => {
  assertInternal(caller);
  const scope = { org_id: caller.principal.org_id };
  const found = await scoped(ProjectModel, scope).find({ user_id: from_user_id }, { fields: [], limit: atOnce });
  for (const { _id } of found) {
    await saveWithRetry(caller, async () => {
      const project = await existingProject(scope, _id);
      await moveToClient(scope.org_id, client_id, (site_place) =>
        saveChange(ProjectModel, scope, project, new Change({ user_id, org_client_id: client_id, site_place }, [projectMoved(_id)])),
      );
    });
  }
  return { done: found.length < atOnce };
});
