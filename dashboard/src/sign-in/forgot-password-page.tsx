import { useState } from 'react';
import { Link } from 'react-router';
import { authAnswer } from '../api/auth.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { texts } from '../texts.ts';
import { Doorway } from './doorway.tsx';

const own = texts.doorway.forgot;

export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string>();

  async function ask(filled: FilledForm) {
    const email = filled.text('email');
    await authAnswer<unknown>((auth) => auth.requestPasswordReset({ email }));
    setSentTo(email);
  }

  const back = (
    <Link className="link" to="/sign-in">
      {own.back}
    </Link>
  );
  if (sentTo !== undefined) {
    return (
      <Doorway title={own.sentTitle} text={own.sentText(sentTo)}>
        {back}
      </Doorway>
    );
  }
  return (
    <Doorway title={own.title} text={own.text} foot={back}>
      <ActionForm action={ask} submit={own.submit} wide>
        <Field label={texts.doorway.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
      </ActionForm>
    </Doorway>
  );
}
