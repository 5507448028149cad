import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Navigate, useNavigate } from 'react-router';
import { answer, api } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { texts } from '../texts.ts';
import { Doorway } from './doorway.tsx';

const own = texts.doorway.organization;

/** For an account that belongs to no organization. */
export function CreateOrganizationPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const navigate = useNavigate();
  const queries = useQueryClient();

  async function create(filled: FilledForm) {
    await answer(api.POST('/account/organizations', { body: { name: filled.text('name') } }));
    queries.clear();
    await queries.fetchQuery(sessionQuery);
    await navigate('/', { replace: true });
  }

  if (session === null) return <Navigate to="/sign-in" replace />;
  return (
    <Doorway isOurs title={own.title} text={own.text}>
      <ActionForm action={create} submit={own.submit} wide>
        <Field label={own.name} name="name" autoComplete="organization" maxLength={200} isRequired autoFocus />
      </ActionForm>
    </Doorway>
  );
}
