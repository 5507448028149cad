import { AppError } from '@webkiln/contract';
import { handle, type IncomingCaller, type IncomingRequest } from '@webkiln/rpc';
import { etagOf, insertChange, newId } from '@webkiln/store';
import { assertInTime } from '../deadline.ts';
import { projectById } from '../projects/project-store.ts';
import { captureTemplate, toTemplate } from './template.ts';
import { TemplateModel, type TemplateRecord, templateById } from './template-store.ts';

/** An earlier attempt's template is the answer whatever became of the source project since. */
export const createTemplate = handle('templates.CreateTemplate', async (request, caller) => {
  const id = newId(caller);
  const template = (await templateById(caller, id)) ?? (await makeTemplate(id, request, caller));
  return { template: toTemplate(template), etag: etagOf(template) };
});

type Request = IncomingRequest<'templates.CreateTemplate'>;

async function makeTemplate(_id: string, request: Request, caller: IncomingCaller): Promise<TemplateRecord> {
  const { name, description = null, category = null, is_public, source_project_id } = request;
  const manifest_id = source_project_id === undefined ? null : await draftOf(source_project_id, caller);
  assertInTime(caller);
  const draft = { _id, org_id: caller.principal.org_id, name, description, category, is_public, manifest_id };
  return insertChange(TemplateModel, caller, captureTemplate(draft, new Date().toISOString()));
}

/** A snapshot refers to the draft's own manifest: not a byte is copied. */
async function draftOf(projectId: string, caller: IncomingCaller): Promise<string | null> {
  const project = await projectById(caller, projectId);
  if (project === null) throw new AppError('source_project_unknown');
  return project.draft_manifest_id;
}
