import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { templateQuery } from '../api/records.ts';
import type { Session } from '../api/session.ts';
import { keepStart } from '../builder/start.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';
import type { StoredLink, Wanted } from './wanted.ts';

const t = texts.build;
const maxNameLength = 60;

/** The first words of the prompt, which a person can change. */
const nameOf = (prompt: string) => prompt.split('\n', 1)[0]?.slice(0, maxNameLength).trim() || t.unnamed;

/** Makes the project that the link asks for, and opens it in the builder. */
export function StartForm({ session, wanted }: { session: Session; wanted: Wanted }) {
  const { model, link } = wanted;
  const isElsewhere = link !== null && link.agency.id !== session.organization?.id;
  const isClient = isElsewhere || session.role === 'client';
  const { data, isError } = useQuery({ ...templateQuery(wanted.template ?? ''), enabled: wanted.template !== null && !isClient });
  const isForeign = isError && link === null;
  const template = isForeign ? null : wanted.template;
  if (!isElsewhere && !hasPermission(session.role, 'build')) return <p className="notice warn">{t.notAllowed}</p>;

  async function build(values: FormValues) {
    const prompt = values.text('prompt');
    if (isElsewhere) await goTo(link);
    const body = { name: nameOf(prompt), ...(template !== null && { template_id: template }) };
    const { project } = await readJson(api.POST('/account/build', { body }));
    if (prompt !== '') keepStart(project.id, { prompt, ...(model !== null && { model }) });
    location.assign(`/builder/${project.id}`);
  }

  return (
    <ActionForm action={build} submit={t.submit} wide>
      <Field
        label={t.prompt}
        name="prompt"
        lines="many"
        defaultValue={wanted.prompt ?? ''}
        isRequired={template === null}
        maxLength={32_000}
      />
      {isElsewhere ? <p className="soft">{(link.allowsJoining ? t.joins : t.forClients)({ agency: link.agency.name })}</p> : null}
      {isForeign ? <p className="notice warn">{t.otherTemplate}</p> : null}
      <Facts template={template === null || isClient ? null : (data?.body.template.name ?? '…')} model={model} />
    </ActionForm>
  );
}

/** Makes the person a client of the link's agency, unless they belong to it, and goes on there. */
async function goTo({ id, agency }: StoredLink): Promise<void> {
  await readJson(api.POST('/account/join', { body: { build_link_id: id } }));
  await readJson(api.POST('/account/session/organization', { body: { organization_id: agency.id } }));
}

function Facts({ template, model }: { template: string | null; model: string | null }) {
  if (template === null && model === null) return null;
  return (
    <dl className="facts">
      {template === null ? null : (
        <>
          <dt>{t.template}</dt>
          <dd>{template}</dd>
        </>
      )}
      {model === null ? null : (
        <>
          <dt>{t.model}</dt>
          <dd>{model}</dd>
        </>
      )}
    </dl>
  );
}
