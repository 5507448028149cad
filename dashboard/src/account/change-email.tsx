import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { useSession } from '../api/session.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';

const t = texts.account;

/** The page that the links in both mails lead back to. */
const returnPath = (newEmail: string) => `/account?${new URLSearchParams({ new_email: newEmail })}`;

/** Changes the account's email. It takes effect after links sent to the old and the new address were opened. */
export function ChangeEmail() {
  const { account } = useSession();
  const [search] = useSearchParams();
  const [sentFor, setSentFor] = useState<string>();

  async function change(values: FormValues) {
    const newEmail = values.text('new_email');
    const body = { newEmail, password: values.exact('password'), callbackURL: returnPath(newEmail) };
    await callAuth<unknown>((auth) => auth.$fetch('/change-email', { method: 'POST', body }));
    setSentFor(newEmail);
  }

  return (
    <div className="stack">
      {sentFor === undefined ? (
        <LinkResult newEmail={search.get('new_email')} failure={search.get('error')} email={account.email} />
      ) : (
        <p className="notice good" role="status">
          {t.emailAsked({ email: account.email })}
        </p>
      )}
      <ActionForm key={sentFor} action={change} submit={t.changeEmail}>
        <Field label={t.newEmail} name="new_email" type="email" autoComplete="email" hint={t.newEmailHint} maxLength={254} isRequired />
        <Field label={t.confirmPassword} name="password" type="password" autoComplete="current-password" isRequired />
      </ActionForm>
    </div>
  );
}

/** The outcome of the mailed link that led here. */
function LinkResult({ newEmail, failure, email }: { newEmail: string | null; failure: string | null; email: string }) {
  if (newEmail === null) return null;
  if (failure !== null) {
    return (
      <p className="notice bad" role="alert">
        {failure === 'ADDRESS_TAKEN' ? t.emailTaken({ email: newEmail }) : t.emailLinkInvalid}
      </p>
    );
  }
  return (
    <p className="notice good" role="status">
      {email === newEmail.toLowerCase() ? t.emailChanged({ email }) : t.emailNext({ email: newEmail })}
    </p>
  );
}
