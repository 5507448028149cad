import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { projectsQuery } from '../api/records.ts';
import { Choice } from '../components/choice.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { Field } from '../components/field.tsx';
import { nothing } from '../components/filled-form.ts';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';

const own = texts.templates;
const offered = 100;

export function CreateTemplate() {
  return (
    <CreateDialog
      label={own.create}
      submit={own.createSubmit}
      area="templates"
      create={(filled) => {
        const body = {
          name: filled.text('name'),
          description: filled.optional('description'),
          category: filled.optional('category'),
          source_project_id: filled.choice('source_project_id'),
          is_public: filled.isOn('is_public'),
        };
        return answer(api.POST('/templates', { body }));
      }}
    >
      <Field label={own.name} name="name" maxLength={200} isRequired autoFocus />
      <SourceChoice />
      <Field label={own.category} name="category" maxLength={50} />
      <Field label={own.description} name="description" lines="many" maxLength={2000} />
      <Tick name="is_public">{own.isPublic}</Tick>
    </CreateDialog>
  );
}

function SourceChoice() {
  const { data } = useQuery(projectsQuery({ limit: offered }));
  const projects = (data?.projects ?? []).map(({ id, name }) => ({ id, label: name }));
  const options = [{ id: nothing, label: own.noSource }, ...projects];
  return <Choice key={options.length} label={own.source} name="source_project_id" options={options} initial={nothing} />;
}
