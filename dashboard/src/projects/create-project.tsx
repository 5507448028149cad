import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { clientsQuery, templatesQuery } from '../api/records.ts';
import { clientName } from '../clients/client-status.tsx';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { Field } from '../components/forms/field.tsx';
import { noneOption } from '../components/forms/form-values.ts';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.projects;

export function CreateProject({
  templateId,
  label = t.create,
  variant = 'primary',
}: {
  templateId?: string;
  label?: string;
  variant?: string;
}) {
  const navigate = useNavigate();
  return (
    <CreateDialog
      label={label}
      variant={variant}
      submit={t.createSubmit}
      area="projects"
      create={(values) => {
        const body = {
          client_email: values.text('client_email'),
          name: values.text('name'),
          description: values.optional('description'),
          template_id: values.choice('template_id'),
        };
        return readJson(api.POST('/projects', { body }));
      }}
      onCreated={({ project }) => void navigate(`/projects/${project.id}`)}
    >
      <Fields templateId={templateId} />
    </CreateDialog>
  );
}

function Fields({ templateId }: { templateId: string | undefined }) {
  const { data: clients, isPending } = useQuery(clientsQuery());
  const { data: templates = [] } = useQuery(templatesQuery());
  const active = (clients ?? []).filter(({ status }) => status === 'active');
  if (!isPending && active.length === 0) return <p className="notice warn">{t.noActiveClient}</p>;
  return (
    <>
      <Field label={t.name} name="name" maxLength={200} isRequired autoFocus />
      <Select
        key={`clients ${active.length}`}
        label={t.client}
        name="client_email"
        options={active.map((client) => ({ id: client.email, label: clientName(client) }))}
        {...(active[0] === undefined ? {} : { initial: active[0].email })}
        hint={t.activeOnly}
      />
      <Select
        key={`templates ${templates.length}`}
        label={t.template}
        name="template_id"
        options={[{ id: noneOption, label: t.noTemplate }, ...templates.map(({ id, name }) => ({ id, label: name }))]}
        initial={templateId ?? noneOption}
      />
      <Field label={t.description} name="description" lines="many" maxLength={2000} />
    </>
  );
}
