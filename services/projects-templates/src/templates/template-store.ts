import { AppError, Template, wholeListCap } from '@webkiln/contract';
import { batchedById, coalescedPage, defineModel, definitionOf, type Scope, type Stored, type WholePage } from '@webkiln/store';
import type { TemplateState } from './template.ts';

export type TemplateRecord = Stored<TemplateState>;

export const TemplateModel = defineModel<TemplateState>(
  'templates',
  { ...definitionOf(Template), manifest_id: { type: String, default: null } },
  { exportedAs: 'templates', raisesEvents: true, indexes: [[{ org_id: 1, created_at: -1, _id: 1 }], [{ org_id: 1, manifest_id: 1 }]] },
);

/** Null if the organization has no such template. */
export const templateById = batchedById(TemplateModel);

/** Throws `template_not_found`. */
export async function existingTemplate(scope: Scope, id: string): Promise<TemplateRecord> {
  const template = await templateById(scope, id);
  if (template === null) throw new AppError('template_not_found');
  return template;
}

const page = coalescedPage(TemplateModel, { sort: { created_at: -1, _id: 1 } });

/** One page, newest first, and the total number of templates. `limit` defaults to the cap of whole lists. */
export const templatePage = (scope: Scope, { limit = wholeListCap, offset, cursor }: WholePage) =>
  page(scope, {}, { limit, offset, cursor });
