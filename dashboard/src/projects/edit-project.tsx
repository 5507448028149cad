import { answer, api } from '../api/client.ts';
import { type Project, projectQuery } from '../api/records.ts';
import { Choice } from '../components/choice.tsx';
import { EditDialog } from '../components/edit-dialog.tsx';
import { Field } from '../components/field.tsx';
import { texts } from '../texts.ts';

const own = texts.projects;
const statuses = Object.entries(own.statuses).map(([id, label]) => ({ id, label }));

const tagsOf = (text: string) => [...new Set(text.split(',').flatMap((tag) => tag.trim() || []))];

export function EditProject({ projectId }: { projectId: string }) {
  return (
    <EditDialog
      title={own.edit}
      record={projectQuery(projectId)}
      save={(filled, etag) => {
        const body = {
          name: filled.text('name'),
          description: filled.optional('description'),
          status: filled.text('status') as Project['status'],
          tags: tagsOf(filled.text('tags')),
        };
        return answer(api.PATCH('/projects/{projectId}', { params: { path: { projectId }, header: { 'If-Match': etag } }, body }));
      }}
    >
      {({ project }) => (
        <>
          <Field label={own.name} name="name" defaultValue={project.name} maxLength={200} isRequired />
          <Field label={own.description} name="description" defaultValue={project.description ?? ''} lines="many" maxLength={2000} />
          <Field label={own.tags} name="tags" defaultValue={project.tags.join(', ')} hint={own.tagsHint} />
          <Choice label={own.status} name="status" options={statuses} initial={project.status} />
        </>
      )}
    </EditDialog>
  );
}
