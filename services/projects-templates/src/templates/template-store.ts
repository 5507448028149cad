import { AppError, wholeListCap } from '@webkiln/contract';
import { defineModel, gatheredById, gatheredPage, type Scope, type Stored } from '@webkiln/store';
import type { TemplateState } from './template.ts';

export type TemplateRecord = Stored<TemplateState>;

export const TemplateModel = defineModel<TemplateState>(
  'templates',
  {
    name: { type: String, required: true },
    description: { type: String, default: null },
    category: { type: String, required: true },
    thumbnail_url: { type: String, default: null },
    is_public: { type: Boolean, default: false },
    is_featured: { type: Boolean, default: false },
    manifest_id: { type: String, default: null },
    created_at: { type: String, required: true },
  },
  { indexes: [[{ org_id: 1, created_at: -1, _id: 1 }], [{ org_id: 1, manifest_id: 1 }]] },
);

/** The template; null when the organization has none with this id. */
export const templateById = gatheredById(TemplateModel);

/** The template; throws `template_not_found`. */
export async function existingTemplate(scope: Scope, id: string): Promise<TemplateRecord> {
  const template = await templateById(scope, id);
  if (template === null) throw new AppError('template_not_found');
  return template;
}

const page = gatheredPage(TemplateModel, { sort: { created_at: -1, _id: 1 } });

/** Templates, newest first, and how many there are in all; without a limit as many as a whole list may have. */
export const templatePage = (scope: Scope, { limit = wholeListCap, offset }: { limit?: number; offset: number }) =>
  page(scope, {}, { limit, offset });
