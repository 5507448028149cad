import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { answer, api } from '../api/client.ts';
import { clientsQuery, templatesQuery } from '../api/records.ts';
import { clientName } from '../clients/client-status.tsx';
import { Choice } from '../components/choice.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { Field } from '../components/field.tsx';
import { nothing } from '../components/filled-form.ts';
import { texts } from '../texts.ts';

const own = texts.projects;

export function CreateProject({
  templateId,
  label = own.create,
  look = 'primary',
}: {
  templateId?: string;
  label?: string;
  look?: string;
}) {
  const navigate = useNavigate();
  return (
    <CreateDialog
      label={label}
      look={look}
      submit={own.createSubmit}
      area="projects"
      create={(filled) => {
        const body = {
          client_email: filled.text('client_email'),
          name: filled.text('name'),
          description: filled.optional('description'),
          template_id: filled.choice('template_id'),
        };
        return answer(api.POST('/projects', { body }));
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
  if (!isPending && active.length === 0) return <p className="notice warn">{own.noActiveClient}</p>;
  return (
    <>
      <Field label={own.name} name="name" maxLength={200} isRequired autoFocus />
      <Choice
        key={`clients ${active.length}`}
        label={own.client}
        name="client_email"
        options={active.map((client) => ({ id: client.email, label: clientName(client) }))}
        {...(active[0] === undefined ? {} : { initial: active[0].email })}
        hint={own.activeOnly}
      />
      <Choice
        key={`templates ${templates.length}`}
        label={own.template}
        name="template_id"
        options={[{ id: nothing, label: own.noTemplate }, ...templates.map(({ id, name }) => ({ id, label: name }))]}
        initial={templateId ?? nothing}
      />
      <Field label={own.description} name="description" lines="many" maxLength={2000} />
    </>
  );
}
