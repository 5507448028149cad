import { useState } from 'react';
import { Link } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';

const t = texts.auth.forgot;

export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string>();

  async function ask(values: FormValues) {
    const email = values.text('email');
    await callAuth<unknown>((auth) => auth.requestPasswordReset({ email }));
    setSentTo(email);
  }

  const back = (
    <Link className="link" to="/sign-in">
      {t.back}
    </Link>
  );
  if (sentTo !== undefined) {
    return (
      <AuthLayout title={t.sentTitle} text={t.sentText({ email: sentTo })}>
        {back}
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title={t.title} text={t.text} footer={back}>
      <ActionForm action={ask} submit={t.submit} wide>
        <Field label={texts.auth.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
      </ActionForm>
    </AuthLayout>
  );
}
