import { AppError } from '@webkiln/contract';
import { type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle, type IncomingRequest } from '@webkiln/rpc';
import { etagOf, insertChange, newId } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { builderUrl, initialProject, type PublicAddresses, type SiteAddresses, toProject } from '../projects/project.ts';
import { insertAtPlaces, type SiteAllowance } from '../projects/project-places.ts';
import { ProjectModel, type ProjectRecord, projectById } from '../projects/project-store.ts';
import { existingTemplate } from '../templates/template-store.ts';

/** A member's own project, or one of a client's user. A retry returns the project of the earlier attempt. */
export const startBuild = ({ origin, siteAddresses }: PublicAddresses) =>
  handle('projects.StartBuild', async (request, caller) => {
    const id = newId(caller);
    const project = (await projectById(caller, id)) ?? (await insertProject(id, request, caller, siteAddresses));
    return { project: toProject(project, siteAddresses), builder_url: builderUrl(origin, id), etag: etagOf(project) };
  });

type Request = IncomingRequest<'projects.StartBuild'>;

async function insertProject(_id: string, request: Request, caller: IncomingCaller, siteAddresses: SiteAddresses): Promise<ProjectRecord> {
  const { org_id } = caller.principal;
  const { user_id, client_id, ...allowance } = await ownerOf(caller);
  const template = request.template_id ?? null;
  const draft = {
    _id,
    ...{ org_id, user_id, org_client_id: client_id ?? null },
    ...{ name: request.name, description: null, template },
    draft_manifest_id: template === null ? null : await manifestFor(caller, template),
  };
  const change = initialProject(draft, siteAddresses, new Date().toISOString());
  return insertAtPlaces(caller, { client_id, ...allowance }, async (places) => {
    assertBeforeDeadline(caller);
    return insertChange(ProjectModel, caller, change.withState(places));
  });
}

/** The owner of the project, and the sites that a client's plan allows. Throws `client_paused`. */
async function ownerOf(caller: IncomingCaller): Promise<SiteAllowance & { readonly user_id: string }> {
  const { account_id, client_id } = caller.principal;
  if (client_id !== undefined) return call('clients.AdmitClientUser', { client_id }, onBehalf('projects-templates', caller));
  if (account_id === undefined) throw new AppError('session_required');
  return { user_id: account_id };
}

/** A public template is offered to every client; others are the members'. */
async function manifestFor(caller: IncomingCaller, template: string): Promise<string | null> {
  const { is_public, manifest_id } = await existingTemplate(caller, template);
  if (!is_public && caller.principal.client_id !== undefined) throw new AppError('template_not_found');
  return manifest_id;
}
