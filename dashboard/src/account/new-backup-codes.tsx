import { useState } from 'react';
import { authAnswer } from '../api/auth.ts';
import { ActionForm } from '../components/action-form.tsx';
import { DialogButton } from '../components/dialog-button.tsx';
import { OwnPassword } from '../components/own-password.tsx';
import { SecretWindow } from '../components/secret-window.tsx';
import { texts } from '../texts.ts';

const own = texts.account;

/** Makes new backup codes in place of the old ones, and shows them, once. */
export function NewBackupCodes() {
  const [codes, setCodes] = useState<string>();
  return (
    <>
      <DialogButton label={own.newBackup} title={own.newBackup} text={own.newBackupText}>
        {(close) => (
          <ActionForm
            submit={own.newBackup}
            onCancel={close}
            action={async (filled) => {
              const password = filled.exact('password');
              const { backupCodes } = await authAnswer<{ backupCodes: string[] }>((auth) =>
                auth.twoFactor.generateBackupCodes({ password }),
              );
              close();
              setCodes(backupCodes.join('\n'));
            }}
          >
            <OwnPassword />
          </ActionForm>
        )}
      </DialogButton>
      <SecretWindow
        title={own.backupTitle}
        text={own.backupText}
        label={own.backupTitle}
        secret={codes}
        onClose={() => setCodes(undefined)}
      />
    </>
  );
}
