import { AppError } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { etagOf, insertChange, newId } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { projectById } from '../projects/project-store.ts';
import { initialTemplate, templateAudited, toTemplate } from './template.ts';
import { TemplateModel, type TemplateRecord, templateById } from './template-store.ts';

/** A retry returns the template of the earlier attempt, even if the source project changed since. */
export const createTemplate = handle('templates.CreateTemplate', async (request, caller) => {
  const id = newId(caller);
  const template = (await templateById(caller, id)) ?? (await insertTemplate(id, request, caller));
  return { template: toTemplate(template), etag: etagOf(template) };
});

type Request = IncomingRequest<'templates.CreateTemplate'>;

async function insertTemplate(_id: string, request: Request, caller: IncomingCaller): Promise<TemplateRecord> {
  const { name, description = null, category = null, is_public, source_project_id } = request;
  const manifest_id = source_project_id === undefined ? null : await draftManifestOf(source_project_id, caller);
  assertBeforeDeadline(caller);
  const draft = { _id, org_id: caller.principal.org_id, name, description, category, is_public, manifest_id };
  const change = initialTemplate(draft, new Date().toISOString());
  return insertChange(TemplateModel, caller, change.withAudit(templateAudited(caller, 'template.created', change.state)));
}

/** The template references the draft's manifest: no file is copied. */
async function draftManifestOf(projectId: string, caller: IncomingCaller): Promise<string | null> {
  const project = await projectById(caller, projectId);
  if (project === null) throw new AppError('source_project_unknown');
  return project.draft_manifest_id;
}
