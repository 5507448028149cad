import { useState } from 'react';
import { callAuth } from '../api/auth.ts';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { SecretModal } from '../components/dialogs/secret-modal.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { CurrentPassword } from '../components/forms/current-password.tsx';
import { texts } from '../texts.ts';

const t = texts.account;

/** Replaces the backup codes and shows the new ones once. */
export function NewBackupCodes() {
  const [codes, setCodes] = useState<string>();
  return (
    <>
      <DialogButton label={t.newBackup} title={t.newBackup} text={t.newBackupText}>
        {(close) => (
          <ActionForm
            submit={t.newBackup}
            onCancel={close}
            action={async (values) => {
              const password = values.exact('password');
              const { backupCodes } = await callAuth<{ backupCodes: string[] }>((auth) => auth.twoFactor.generateBackupCodes({ password }));
              close();
              setCodes(backupCodes.join('\n'));
            }}
          >
            <CurrentPassword />
          </ActionForm>
        )}
      </DialogButton>
      <SecretModal title={t.backupTitle} text={t.backupText} label={t.backupTitle} secret={codes} onClose={() => setCodes(undefined)} />
    </>
  );
}
