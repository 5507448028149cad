import { AppError } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { etagOf, insertChange, newId } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { initialProject, toProject } from '../projects/project.ts';
import { insertAtPlaces } from '../projects/project-places.ts';
import { ProjectModel, type ProjectRecord, projectById } from '../projects/project-store.ts';
import { builderUrl, type PublicAddresses, type SiteAddresses } from '../projects/site-addresses.ts';
import { existingTemplate } from '../templates/template-store.ts';

/** A member's own project. A retry returns the project of the earlier attempt. */
export const startBuild = ({ origin, siteAddresses }: PublicAddresses) =>
  handle('projects.StartBuild', async (request, caller) => {
    const id = newId(caller);
    const project = (await projectById(caller, id)) ?? (await insertProject(id, request, caller, siteAddresses));
    return { project: toProject(project, siteAddresses), builder_url: builderUrl(origin, id), etag: etagOf(project) };
  });

type Request = IncomingRequest<'projects.StartBuild'>;

async function insertProject(_id: string, request: Request, caller: IncomingCaller, siteAddresses: SiteAddresses): Promise<ProjectRecord> {
  const { org_id, account_id } = caller.principal;
  if (account_id === undefined) throw new AppError('session_required');
  const template = request.template_id ?? null;
  const draft = {
    _id,
    ...{ org_id, user_id: account_id, org_client_id: null },
    ...{ name: request.name, description: null, template },
    draft_manifest_id: template === null ? null : (await existingTemplate(caller, template)).manifest_id,
  };
  const { state, events } = initialProject(draft, siteAddresses, new Date().toISOString());
  return insertAtPlaces(caller.principal, {}, async (places) => {
    assertBeforeDeadline(caller);
    return insertChange(ProjectModel, caller, { state: { ...state, ...places }, events });
  });
}
