import { api, readJson } from '../api/client.ts';
import { type Project, projectQuery } from '../api/records.ts';
import { EditDialog } from '../components/dialogs/edit-dialog.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.projects;
const statuses = Object.entries(t.statuses).map(([id, label]) => ({ id, label }));

const tagsOf = (text: string) => [...new Set(text.split(',').flatMap((tag) => tag.trim() || []))];

export function EditProject({ projectId }: { projectId: string }) {
  return (
    <EditDialog
      title={t.edit}
      record={projectQuery(projectId)}
      save={(values, etag) => {
        const body = {
          name: values.text('name'),
          description: values.optional('description'),
          status: values.text('status') as Project['status'],
          tags: tagsOf(values.text('tags')),
          insert_tracker: values.isOn('insert_tracker'),
        };
        return readJson(api.PATCH('/projects/{projectId}', { params: { path: { projectId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ project }) => (
        <>
          <Field label={t.name} name="name" defaultValue={project.name} maxLength={200} isRequired />
          <Field label={t.description} name="description" defaultValue={project.description ?? ''} lines="many" maxLength={2000} />
          <Field label={t.tags} name="tags" defaultValue={project.tags.join(', ')} hint={t.tagsHint} />
          <Select label={t.status} name="status" options={statuses} initial={project.status} />
          <Checkbox name="insert_tracker" defaultSelected={project.insert_tracker !== false}>
            {t.insertTracker}
          </Checkbox>
        </>
      )}
    </EditDialog>
  );
}
