import { useSuspenseQuery } from '@tanstack/react-query';
import { Navigate } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';
import { useOpenNext } from './use-open-next.ts';

const t = texts.auth.organization;

/** For an account without an organization. */
export function CreateOrganizationPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const openNext = useOpenNext();

  async function create(values: FormValues) {
    await readJson(api.POST('/account/organizations', { body: { name: values.text('name') } }));
    await openNext();
  }

  if (session === null) return <Navigate to="/sign-in" replace />;
  return (
    <AuthLayout ignoresBrand title={t.title} text={t.text}>
      <ActionForm action={create} submit={t.submit} wide>
        <Field label={t.name} name="name" autoComplete="organization" maxLength={200} isRequired autoFocus />
      </ActionForm>
    </AuthLayout>
  );
}
