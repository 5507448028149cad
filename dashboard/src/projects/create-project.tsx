import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { templatesQuery } from '../api/records.ts';
import { keepStart } from '../builder/start.ts';
import { useProjectOwners } from '../clients/project-owners.ts';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';
import { NoOwner } from './no-owner.tsx';
import association from './starters/association.svg';
import cafe from './starters/cafe.svg';
import carpenter from './starters/carpenter.svg';
import hairdresser from './starters/hairdresser.svg';
import photographer from './starters/photographer.svg';
import yoga from './starters/yoga.svg';
import './create-project.css';

const t = texts.projects;
/** The ways to start besides the organization's templates, which are named by their ids. */
const described = 'described';
const fromFiles = 'files';
const empty = 'empty';

interface Props {
  /** How it starts unless another way is chosen: `files`, a template's id, or with a description. */
  readonly start?: string;
  readonly label?: string;
  readonly variant?: string;
}

export function CreateProject({ start = described, label = t.create, variant = 'primary' }: Props) {
  return (
    <DialogButton label={label} variant={variant} title={t.create}>
      {(close) => <NewProject initial={start} close={close} />}
    </DialogButton>
  );
}

function NewProject({ initial, close }: { initial: string; close: () => void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const owners = useProjectOwners();
  const { data: templates = [] } = useQuery(templatesQuery());
  const [start, setStart] = useState(initial);
  const [prompt, setPrompt] = useState('');
  const starts = [
    { id: described, label: t.starts.described },
    { id: fromFiles, label: t.starts.files },
    { id: empty, label: t.starts.empty },
    ...templates.map(({ id, name }) => ({ id, label: t.starts.template({ name }) })),
  ];

  async function create(values: FormValues) {
    const name = values.text('name');
    const template_id = [described, fromFiles, empty].includes(start) ? null : start;
    const body = { client_email: values.text('client_email'), name, description: values.optional('description'), template_id };
    const { project } = await readJson(api.POST('/projects', { body }));
    // The first project of the agency itself makes it a client.
    for (const area of ['projects', 'clients']) void queryClient.invalidateQueries({ queryKey: [area] });
    close();
    if (start !== described) return navigate(`/projects/${project.id}${start === fromFiles ? '?tab=files' : ''}`);
    keepStart(project.id, { prompt: prompt.includes(name) ? prompt : `${prompt.trim()}\n\n${t.named({ name })}` });
    location.assign(`/builder/${project.id}`);
  }

  // The agency is suspended as its own client, and there is no other.
  if (owners.length === 0) return <NoOwner text={t.noActiveClient} />;
  return (
    <ActionForm action={create} submit={start === described ? t.createAndBuild : t.createSubmit} onCancel={close}>
      <Field label={t.name} name="name" maxLength={200} isRequired autoFocus />
      <Select
        key={owners.length}
        label={t.owner}
        name="client_email"
        options={owners}
        initial={owners[0]?.id}
        hint={`${t.activeOnly} ${t.canHandOver}`}
      />
      <Select key={`start ${templates.length}`} label={t.startWith} options={starts} value={start} onChange={setStart} />
      {start === described ? (
        <>
          <Field
            label={texts.build.prompt}
            name="prompt"
            lines="many"
            value={prompt}
            onChange={setPrompt}
            maxLength={32_000}
            isRequired
            placeholder={t.promptExample}
          />
          <Starters prompt={prompt} onChoose={setPrompt} />
        </>
      ) : (
        <Field label={t.description} name="description" lines="many" maxLength={2000} />
      )}
    </ActionForm>
  );
}

/** Drawn by the composer from the prompts. A project has drawings of its own. */
const pictures = { cafe, carpenter, hairdresser, photographer, yoga, association };

/** Prompts to begin with, each of which can be changed before it is sent. */
function Starters({ prompt, onChoose }: { prompt: string; onChoose: (prompt: string) => void }) {
  return (
    <fieldset className="starters">
      <legend className="label">{t.starters}</legend>
      {Object.entries(pictures).map(([id, picture]) => {
        const starter = texts.starters[id as keyof typeof pictures];
        return (
          <ToggleButton
            key={id}
            className="starter"
            isSelected={prompt === starter.prompt}
            onChange={(isChosen) => onChoose(isChosen ? starter.prompt : '')}
          >
            <img src={picture} alt="" width={120} height={90} />
            {starter.name}
          </ToggleButton>
        );
      })}
    </fieldset>
  );
}
