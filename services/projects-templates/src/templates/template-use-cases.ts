import { AppError } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { handle, type IncomingRequest, maskedFields, type UseCase } from '@webkiln/rpc';
import { assertMatches, etagOf, insertChange, mayBeRepeat, newId, removeChange, saveChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { fileAt, filesOf, leaseManifest } from '../files/manifest-store.ts';
import { readBeginning } from '../files/read-contents.ts';
import { projectById } from '../projects/project-store.ts';
import { changeTemplate, initialTemplate, type TemplateFields, templateAudited, templateDeleted, toTemplate } from './template.ts';
import { existingTemplate, TemplateModel, type TemplateRecord, templateById, templatePage } from './template-store.ts';

const listTemplates = handle('templates.ListTemplates', async (page, caller) => {
  const { records, total, next_cursor } = await templatePage(caller, page);
  return { templates: records.map(toTemplate), total, next_cursor };
});

const getTemplate = handle('templates.GetTemplate', async ({ template_id }, caller) => {
  const template = await existingTemplate(caller, template_id);
  return { template: toTemplate(template), etag: etagOf(template) };
});

const listTemplateFiles = handle('templates.ListTemplateFiles', async ({ template_id }, caller) => {
  const { manifest_id } = await existingTemplate(caller, template_id);
  return { files: await filesOf(caller.principal, manifest_id) };
});

const getTemplateFile = handle('templates.GetTemplateFile', async ({ template_id, path, max_bytes }, caller) => {
  const { manifest_id } = await existingTemplate(caller, template_id);
  const file = await fileAt(caller.principal, manifest_id, path);
  return { file, content: await readBeginning(caller.principal, file, max_bytes) };
});

/** A retry returns the template of the earlier attempt, even if the source project changed since. */
export const createTemplate = handle('templates.CreateTemplate', async (request, caller) => {
  const id = newId(caller);
  const known = mayBeRepeat(caller) ? await templateById(caller, id) : null;
  const template = known ?? (await insertTemplate(id, request, caller));
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

const updateTemplate = handle('templates.UpdateTemplate', (request, caller) => {
  const attempt = async () => {
    const current = await existingTemplate(caller, request.template_id);
    assertMatches(caller, current);
    const change = changeTemplate(current, maskedFields<TemplateFields>(request));
    if (change === null) return { template: toTemplate(current), etag: etagOf(current) };
    const act = templateAudited(caller, 'template.changed', { ...current, ...change.state });
    const template = await saveChange(TemplateModel, caller, current, change.withAudit(act));
    return { template: toTemplate(template), etag: etagOf(template) };
  };
  return saveWithRetry(caller, attempt, request.template_id);
});

/** Projects created from the template keep their files: they reference the same manifest. */
export const deleteTemplate = handle('templates.DeleteTemplate', ({ template_id }, caller) =>
  saveWithRetry(caller, async () => {
    const template = await existingTemplate(caller, template_id);
    assertMatches(caller, template);
    if (template.manifest_id !== null) await leaseManifest(caller.principal, template.manifest_id);
    assertBeforeDeadline(caller);
    await removeChange(TemplateModel, caller, template, [templateDeleted(template), templateAudited(caller, 'template.deleted', template)]);
    return { deleted: true, id: template_id };
  }),
);

export const templateUseCases: UseCase[] = [
  listTemplates,
  createTemplate,
  getTemplate,
  updateTemplate,
  deleteTemplate,
  listTemplateFiles,
  getTemplateFile,
];
