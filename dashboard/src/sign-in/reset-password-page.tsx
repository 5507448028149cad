import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { NewPassword } from '../components/forms/new-password.tsx';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';

const t = texts.auth.reset;

/** Opened by the link in the mail. Without a token the link was used or has expired. */
export function ResetPasswordPage() {
  const [search] = useSearchParams();
  const [isDone, setDone] = useState(false);
  const token = search.get('token');

  async function reset(values: FormValues) {
    await callAuth<unknown>((auth) => auth.resetPassword({ newPassword: values.exact('password'), token: token ?? '' }));
    setDone(true);
  }

  if (token === null || isDone) {
    return (
      <AuthLayout title={t.title} text={isDone ? t.done : t.invalid}>
        <Link className="button primary" to={isDone ? '/sign-in' : '/forgot-password'}>
          {isDone ? texts.auth.signIn.submit : t.again}
        </Link>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title={t.title}>
      <ActionForm action={reset} submit={t.submit} wide>
        <NewPassword label={texts.auth.newPassword} name="password" autoFocus />
      </ActionForm>
    </AuthLayout>
  );
}
