import { call, handle, type IncomingCaller, type IncomingRequest, onBehalf } from '@webkiln/rpc';
import { etagOf, insertChange, newId } from '@webkiln/store';
import { assertInTime } from '../deadline.ts';
import { takeSiteSlot } from '../site-slots/site-slot-store.ts';
import { existingTemplate } from '../templates/template-store.ts';
import { assertMayOwn, builderUrl, openProject, type PublicAddresses, type SiteAddresses, toProject } from './project.ts';
import { ProjectModel, type ProjectRecord, projectById } from './project-store.ts';

/** An earlier attempt's project is the answer whatever became of client and template since. */
export const createProject = ({ origin, siteAddresses }: PublicAddresses) =>
  handle('projects.CreateProject', async (request, caller) => {
    const id = newId(caller);
    const project = (await projectById(caller, id)) ?? (await makeProject(id, request, caller, siteAddresses));
    return { project: toProject(project, siteAddresses), builder_url: builderUrl(origin, id), etag: etagOf(project) };
  });

type Request = IncomingRequest<'projects.CreateProject'>;

async function makeProject(_id: string, request: Request, caller: IncomingCaller, siteAddresses: SiteAddresses): Promise<ProjectRecord> {
  const client = await call('clients.GetSiteAllowance', { client_email: request.client_email }, onBehalf('projects-templates', caller));
  assertMayOwn(client);
  const template = request.template_id ?? null;
  // A copy refers to the template's own manifest: not a byte is copied.
  const draft_manifest_id = template === null ? null : (await existingTemplate(caller, template)).manifest_id;
  await takeSiteSlot(caller.principal, client, _id);
  assertInTime(caller);
  const draft = {
    _id,
    org_id: caller.principal.org_id,
    user_id: client.user_id,
    org_client_id: client.client_id,
    name: request.name,
    description: request.description ?? null,
    template,
    draft_manifest_id,
  };
  return insertChange(ProjectModel, caller, openProject(draft, siteAddresses, new Date().toISOString()));
}
