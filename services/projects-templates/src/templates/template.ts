import { type AuditAction, changedFields, createProjection, inputFields, type StateOf, Template, updateTemplate } from '@webkiln/contract';
import { auditEvent, type Caller, Change, type RaisedEvent } from '@webkiln/messages';

/** The stored document of a template. Its files never change. `created_at` is ISO 8601. */
export interface TemplateState extends StateOf<typeof Template> {
  manifest_id: string | null;
}

interface TemplateDraft extends Pick<TemplateState, '_id' | 'org_id' | 'name' | 'description' | 'is_public' | 'manifest_id'> {
  category: string | null;
}

const changeable = inputFields(updateTemplate);
export type TemplateFields = Pick<TemplateState, (typeof changeable)[number]>;

const defaultCategory = 'general';

/** The public record of the REST API. */
export const toTemplate = createProjection(Template);

/** A new template. Any text is a category; it is stored in lower case. `now` is ISO 8601. */
export const initialTemplate = ({ category, ...draft }: TemplateDraft, now: string): Change<TemplateState> =>
  new Change(
    {
      ...draft,
      category: (category ?? defaultCategory).toLowerCase(),
      thumbnail_url: null,
      is_featured: false,
      created_at: now,
    },
    [],
  );

/** Changes the given fields. Null if no field differs. */
export function changeTemplate(current: TemplateState, wanted: Partial<TemplateFields>): Change<Partial<TemplateFields>> | null {
  const folded = wanted.category === undefined ? wanted : { ...wanted, category: wanted.category.toLowerCase() };
  const changed = changedFields(current, folded, changeable);
  return changed && new Change(changed, []);
}

/** The audit event of an act on a template. */
export const templateAudited = (caller: Caller, action: AuditAction, { _id, name }: Pick<TemplateState, '_id' | 'name'>) =>
  auditEvent(caller, action, { kind: 'template', id: _id, name });

export const templateDeleted = ({ _id }: Pick<TemplateState, '_id'>): RaisedEvent => ({
  type: 'internal.template.deleted',
  data: { template_id: _id },
});
