import { type Change, changedFields, type RaisedEvent, type Template } from '@webkiln/contract';

/** A template as it is kept. Its files are the manifest's and never change; `created_at` is ISO 8601, see project.ts. */
export interface TemplateState {
  _id: string;
  org_id: string;
  name: string;
  description: string | null;
  category: string;
  thumbnail_url: string | null;
  is_public: boolean;
  is_featured: boolean;
  manifest_id: string | null;
  created_at: string;
}

export interface TemplateDraft extends Pick<TemplateState, '_id' | 'org_id' | 'name' | 'description' | 'is_public' | 'manifest_id'> {
  category: string | null;
}

const changeable = [
  'name',
  'description',
  'category',
  'thumbnail_url',
  'is_public',
  'is_featured',
] as const satisfies readonly (keyof TemplateState)[];
export type TemplateFields = Pick<TemplateState, (typeof changeable)[number]>;

const defaultCategory = 'general';

/** The REST shape. */
export const toTemplate = (template: Omit<TemplateState, 'manifest_id'>): Template => ({
  id: template._id,
  org_id: template.org_id,
  name: template.name,
  description: template.description,
  category: template.category,
  thumbnail_url: template.thumbnail_url,
  is_public: template.is_public,
  is_featured: template.is_featured,
  created_at: template.created_at,
});

/** A new template; any word is a category, whatever its case. `now` is ISO 8601. */
export const captureTemplate = ({ category, ...draft }: TemplateDraft, now: string): Change<TemplateState> => ({
  state: {
    ...draft,
    category: (category ?? defaultCategory).toLowerCase(),
    thumbnail_url: null,
    is_featured: false,
    created_at: now,
  },
  events: [],
});

/** The change to the wanted fields; null when nothing differs. */
export function changeTemplate(current: TemplateState, wanted: Partial<TemplateFields>): Change<Partial<TemplateFields>> | null {
  const folded = wanted.category === undefined ? wanted : { ...wanted, category: wanted.category.toLowerCase() };
  const changed = changedFields(current, folded, changeable);
  return changed && { state: changed, events: [] };
}

export const templateDeleted = ({ _id }: Pick<TemplateState, '_id'>): RaisedEvent => ({
  type: 'internal.template.deleted',
  data: { template_id: _id },
});
