import type { IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { etagOf, insertChange, mayBeRepeat, newId } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { existingTemplate } from '../templates/template-store.ts';
import { auditedIfByAgent, builderUrl, initialProject, type PublicAddresses, type SiteAddresses, toProject } from './project.ts';
import { ownerByEmail } from './project-owner.ts';
import { insertAtPlaces } from './project-places.ts';
import { ProjectModel, type ProjectRecord, projectById } from './project-store.ts';

/** A retry returns the project of the earlier attempt, even if the client or template changed since. */
export const createProject = ({ origin, siteAddresses }: PublicAddresses) =>
  handle('projects.CreateProject', async (request, caller) => {
    const id = newId(caller);
    const known = mayBeRepeat(caller) ? await projectById(caller, id) : null;
    const project = known ?? (await insertProject(id, request, caller, siteAddresses));
    return { project: toProject(project, siteAddresses), builder_url: builderUrl(origin, id), etag: etagOf(project) };
  });

type Request = IncomingRequest<'projects.CreateProject'>;

async function insertProject(_id: string, request: Request, caller: IncomingCaller, siteAddresses: SiteAddresses): Promise<ProjectRecord> {
  const client = await ownerByEmail(caller, request.client_email);
  const template = request.template_id ?? null;
  // The new project references the template's manifest: no file is copied.
  const draft_manifest_id = template === null ? null : (await existingTemplate(caller, template)).manifest_id;
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
  const change = initialProject(draft, siteAddresses, new Date().toISOString());
  // Attempts of one request run one after another, and an earlier one's project was looked for.
  return insertAtPlaces(caller, { ...client, isSurelyNew: true }, async (places) => {
    assertBeforeDeadline(caller);
    const acts = auditedIfByAgent(caller, 'project.created', change.state);
    return insertChange(ProjectModel, caller, change.withState(places).withEvents(acts));
  });
}
