import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { authAnswer } from '../api/auth.ts';
import { useSession } from '../api/session.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { texts } from '../texts.ts';

const own = texts.account;

/** What the links in the two mails lead back to: this page, with the address that was asked for. */
const backHere = (newEmail: string) => `/account?${new URLSearchParams({ new_email: newEmail })}`;

/** Another address for the account: it is taken when a link to the old one and a link to the new one were followed. */
export function ChangeEmail() {
  const { account } = useSession();
  const [search] = useSearchParams();
  const [asked, setAsked] = useState<string>();

  async function change(filled: FilledForm) {
    const newEmail = filled.text('new_email');
    const body = { newEmail, password: filled.exact('password'), callbackURL: backHere(newEmail) };
    await authAnswer<unknown>((auth) => auth.$fetch('/change-email', { method: 'POST', body }));
    setAsked(newEmail);
  }

  return (
    <div className="stack">
      {asked === undefined ? (
        <Followed newEmail={search.get('new_email')} failure={search.get('error')} email={account.email} />
      ) : (
        <p className="notice good" role="status">
          {own.emailAsked(account.email)}
        </p>
      )}
      <ActionForm key={asked} action={change} submit={own.changeEmail}>
        <Field label={own.newEmail} name="new_email" type="email" autoComplete="email" hint={own.newEmailHint} maxLength={254} isRequired />
        <Field label={own.confirmPassword} name="password" type="password" autoComplete="current-password" isRequired />
      </ActionForm>
    </div>
  );
}

/** What became of the link that led here. */
function Followed({ newEmail, failure, email }: { newEmail: string | null; failure: string | null; email: string }) {
  if (newEmail === null) return null;
  if (failure !== null) {
    return (
      <p className="notice bad" role="alert">
        {failure === 'ADDRESS_TAKEN' ? own.emailTaken(newEmail) : own.emailLinkInvalid}
      </p>
    );
  }
  return (
    <p className="notice good" role="status">
      {email === newEmail.toLowerCase() ? own.emailChanged(email) : own.emailNext(newEmail)}
    </p>
  );
}
