import { useState } from 'react';
import { Button } from 'react-aria-components';
import { authAnswer } from '../api/auth.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { texts } from '../texts.ts';
import { Doorway } from './doorway.tsx';

const own = texts.doorway.secondFactor;

/** The second step of signing in: a code of the app, or one of the backup codes. */
export function SecondFactor({ onEnter }: { onEnter: () => Promise<void> }) {
  const [byBackup, setByBackup] = useState(false);

  async function verify(filled: FilledForm) {
    const code = filled.text('code').replaceAll(' ', '');
    await authAnswer<unknown>((auth) => (byBackup ? auth.twoFactor.verifyBackupCode({ code }) : auth.twoFactor.verifyTotp({ code })));
    await onEnter();
  }

  return (
    <Doorway title={own.title} text={byBackup ? own.backupText : own.text}>
      <ActionForm action={verify} submit={own.submit} wide>
        <Field
          key={String(byBackup)}
          label={byBackup ? own.backupCode : own.code}
          name="code"
          autoComplete="one-time-code"
          inputMode={byBackup ? 'text' : 'numeric'}
          isRequired
          autoFocus
        />
      </ActionForm>
      <Button className="button quiet" onPress={() => setByBackup(!byBackup)}>
        {byBackup ? own.useApp : own.useBackup}
      </Button>
    </Doorway>
  );
}
