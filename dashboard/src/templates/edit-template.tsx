import { api, readJson } from '../api/client.ts';
import { templateQuery } from '../api/records.ts';
import { EditDialog } from '../components/dialogs/edit-dialog.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import { texts } from '../texts.ts';

const t = texts.templates;

export function EditTemplate({ templateId }: { templateId: string }) {
  return (
    <EditDialog
      title={t.edit}
      variant="compact quiet"
      record={templateQuery(templateId)}
      save={(values, etag) => {
        const body = {
          name: values.text('name'),
          description: values.optional('description'),
          category: values.text('category'),
          is_public: values.isOn('is_public'),
          is_featured: values.isOn('is_featured'),
        };
        return readJson(api.PATCH('/templates/{templateId}', { params: { path: { templateId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ template }) => (
        <>
          <Field label={t.name} name="name" defaultValue={template.name} maxLength={200} isRequired />
          <Field label={t.category} name="category" defaultValue={template.category} maxLength={50} isRequired />
          <Field label={t.description} name="description" defaultValue={template.description ?? ''} lines="many" maxLength={2000} />
          <Checkbox name="is_public" defaultSelected={template.is_public}>
            {t.isPublic}
          </Checkbox>
          <Checkbox name="is_featured" defaultSelected={template.is_featured}>
            {t.isFeatured}
          </Checkbox>
        </>
      )}
    </EditDialog>
  );
}
