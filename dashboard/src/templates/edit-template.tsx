import { answer, api } from '../api/client.ts';
import { templateQuery } from '../api/records.ts';
import { EditDialog } from '../components/edit-dialog.tsx';
import { Field } from '../components/field.tsx';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';

const own = texts.templates;

export function EditTemplate({ templateId }: { templateId: string }) {
  return (
    <EditDialog
      title={own.edit}
      look="compact quiet"
      record={templateQuery(templateId)}
      save={(filled, etag) => {
        const body = {
          name: filled.text('name'),
          description: filled.optional('description'),
          category: filled.text('category'),
          is_public: filled.isOn('is_public'),
          is_featured: filled.isOn('is_featured'),
        };
        return answer(api.PATCH('/templates/{templateId}', { params: { path: { templateId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ template }) => (
        <>
          <Field label={own.name} name="name" defaultValue={template.name} maxLength={200} isRequired />
          <Field label={own.category} name="category" defaultValue={template.category} maxLength={50} isRequired />
          <Field label={own.description} name="description" defaultValue={template.description ?? ''} lines="many" maxLength={2000} />
          <Tick name="is_public" defaultSelected={template.is_public}>
            {own.isPublic}
          </Tick>
          <Tick name="is_featured" defaultSelected={template.is_featured}>
            {own.isFeatured}
          </Tick>
        </>
      )}
    </EditDialog>
  );
}
