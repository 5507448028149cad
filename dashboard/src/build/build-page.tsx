import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Navigate, useSearchParams } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { Problem } from '../api/problem.ts';
import { templateQuery } from '../api/records.ts';
import { type Session, sessionQuery } from '../api/session.ts';
import { keepStart } from '../builder/start.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { AuthLayout } from '../sign-in/auth-layout.tsx';
import { texts } from '../texts.ts';

const t = texts.build;
const maxNameLength = 60;

/** The first words of the prompt, which a person can change. */
const nameOf = (prompt: string) => prompt.split('\n', 1)[0]?.slice(0, maxNameLength).trim() || t.unnamed;

/** What a link asks for. */
interface Wanted {
  readonly prompt: string | null;
  readonly template: string | null;
  readonly model: string | null;
}

/** A stored link (`l`), or what the address itself says. */
const wantedQuery = (search: URLSearchParams) => {
  const id = search.get('l');
  return queryOptions({
    queryKey: ['build-link', search.toString()],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Wanted> => {
      if (id === null) return { prompt: search.get('prompt'), template: search.get('template'), model: search.get('model') };
      const response = await fetch(`/api/build-links/${encodeURIComponent(id)}`);
      const body = await response.json();
      if (!response.ok) throw new Problem(response.status, body);
      return { prompt: body.prompt, template: body.template_id, model: body.model };
    },
  });
};

/** `/build?l=` or `/build?prompt=&template=&model=`: what a link asks for. Nothing is made before the click. */
export function BuildPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [search] = useSearchParams();
  const { data: wanted, error } = useQuery(wantedQuery(search));
  const here = new URLSearchParams({ next: `/build?${search}` });
  if (session !== null && session.organization === null) return <Navigate to={`/create-organization?${here}`} replace />;
  return (
    <AuthLayout ignoresBrand={session?.role !== 'client'} title={t.title} text={t.text}>
      {error === null ? null : (
        <p className="notice bad" role="alert">
          {Problem.of(error).message}
        </p>
      )}
      {wanted === undefined ? null : session === null ? (
        <SignedOut prompt={wanted.prompt} next={here} />
      ) : (
        <Start session={session} wanted={wanted} />
      )}
    </AuthLayout>
  );
}

function SignedOut({ prompt, next }: { prompt: string | null; next: URLSearchParams }) {
  return (
    <>
      {prompt === null ? null : <blockquote className="build-prompt">{prompt}</blockquote>}
      <p className="soft">{t.signedOut}</p>
      <div className="actions">
        <Link className="button primary" to={`/sign-up?${next}`}>
          {t.signUp}
        </Link>
        <Link className="button" to={`/sign-in?${next}`}>
          {t.signIn}
        </Link>
      </div>
    </>
  );
}

function Start({ session, wanted }: { session: Session; wanted: Wanted }) {
  const { model } = wanted;
  const { data, isError: isForeign } = useQuery({ ...templateQuery(wanted.template ?? ''), enabled: wanted.template !== null });
  const template = isForeign ? null : wanted.template;
  if (!hasPermission(session.role, 'build')) return <p className="notice warn">{t.notAllowed}</p>;

  async function build(values: FormValues) {
    const prompt = values.text('prompt');
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
      {isForeign ? <p className="notice warn">{t.otherTemplate}</p> : null}
      {template === null && model === null ? null : (
        <dl className="facts">
          {template === null ? null : (
            <>
              <dt>{t.template}</dt>
              <dd>{data?.body.template.name ?? '…'}</dd>
            </>
          )}
          {model === null ? null : (
            <>
              <dt>{t.model}</dt>
              <dd>{model}</dd>
            </>
          )}
        </dl>
      )}
    </ActionForm>
  );
}
