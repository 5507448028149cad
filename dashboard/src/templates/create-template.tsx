import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { projectsQuery } from '../api/records.ts';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import { noneOption } from '../components/forms/form-values.ts';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.templates;
const offered = 100;

export function CreateTemplate() {
  return (
    <CreateDialog
      label={t.create}
      submit={t.createSubmit}
      area="templates"
      create={(values) => {
        const body = {
          name: values.text('name'),
          description: values.optional('description'),
          category: values.optional('category'),
          source_project_id: values.choice('source_project_id'),
          is_public: values.isOn('is_public'),
        };
        return readJson(api.POST('/templates', { body }));
      }}
    >
      <Field label={t.name} name="name" maxLength={200} isRequired autoFocus />
      <SourceChoice />
      <Field label={t.category} name="category" maxLength={50} />
      <Field label={t.description} name="description" lines="many" maxLength={2000} />
      <Checkbox name="is_public">{t.isPublic}</Checkbox>
    </CreateDialog>
  );
}

function SourceChoice() {
  const { data } = useQuery(projectsQuery({ limit: offered }));
  const projects = (data?.projects ?? []).map(({ id, name }) => ({ id, label: name }));
  const options = [{ id: noneOption, label: t.noSource }, ...projects];
  return <Select key={options.length} label={t.source} name="source_project_id" options={options} initial={noneOption} />;
}
