import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { authAnswer } from '../api/auth.ts';
import { ActionForm } from '../components/action-form.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { NewPassword } from '../components/new-password.tsx';
import { texts } from '../texts.ts';
import { Doorway } from './doorway.tsx';

const own = texts.doorway.reset;

/** Behind the link of the mail, which brings a token, or an error where it was used or has run out. */
export function ResetPasswordPage() {
  const [search] = useSearchParams();
  const [isDone, setDone] = useState(false);
  const token = search.get('token');

  async function reset(filled: FilledForm) {
    await authAnswer<unknown>((auth) => auth.resetPassword({ newPassword: filled.exact('password'), token: token ?? '' }));
    setDone(true);
  }

  if (token === null || isDone) {
    return (
      <Doorway title={own.title} text={isDone ? own.done : own.invalid}>
        <Link className="button primary" to={isDone ? '/sign-in' : '/forgot-password'}>
          {isDone ? texts.doorway.signIn.submit : own.again}
        </Link>
      </Doorway>
    );
  }
  return (
    <Doorway title={own.title}>
      <ActionForm action={reset} submit={own.submit} wide>
        <NewPassword label={texts.doorway.newPassword} name="password" autoFocus />
      </ActionForm>
    </Doorway>
  );
}
