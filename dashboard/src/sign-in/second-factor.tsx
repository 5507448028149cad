import { useState } from 'react';
import { Button } from 'react-aria-components';
import { callAuth } from '../api/auth.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';

const t = texts.auth.secondFactor;

/** The second step of sign-in: a code of the authenticator app or a backup code. */
export function SecondFactor({ onSignedIn }: { onSignedIn: () => Promise<void> }) {
  const [byBackup, setByBackup] = useState(false);

  async function verify(values: FormValues) {
    const code = values.text('code').replaceAll(' ', '');
    await callAuth<unknown>((auth) => (byBackup ? auth.twoFactor.verifyBackupCode({ code }) : auth.twoFactor.verifyTotp({ code })));
    await onSignedIn();
  }

  return (
    <AuthLayout title={t.title} text={byBackup ? t.backupText : t.text}>
      <ActionForm action={verify} submit={t.submit} wide>
        <Field
          key={String(byBackup)}
          label={byBackup ? t.backupCode : t.code}
          name="code"
          autoComplete="one-time-code"
          inputMode={byBackup ? 'text' : 'numeric'}
          isRequired
          autoFocus
        />
      </ActionForm>
      <Button className="button quiet" onPress={() => setByBackup(!byBackup)}>
        {byBackup ? t.useApp : t.useBackup}
      </Button>
    </AuthLayout>
  );
}
