import { useQueryClient } from '@tanstack/react-query';
import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import { authAnswer } from '../api/auth.ts';
import { ActionForm } from '../components/action-form.tsx';
import { DialogButton } from '../components/dialog-button.tsx';
import { Field } from '../components/field.tsx';
import { OwnPassword } from '../components/own-password.tsx';
import { Snippet } from '../components/snippet.tsx';
import { texts } from '../texts.ts';
import { NewBackupCodes } from './new-backup-codes.tsx';

const own = texts.account;
const qrSize = 168;

interface Setup {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export function SecondFactorSettings({ isOn }: { isOn: boolean }) {
  const queries = useQueryClient();
  const changed = () => queries.invalidateQueries({ queryKey: ['session'] });
  return (
    <div className="stack">
      <p className="soft">{isOn ? own.secondFactorOn : own.secondFactorOff}</p>
      <div className="actions">
        {isOn ? <NewBackupCodes /> : null}
        {isOn ? (
          <DialogButton label={own.turnOff} title={own.turnOff}>
            {(close) => (
              <ActionForm
                submit={own.turnOff}
                look="danger"
                onCancel={close}
                action={async (filled) => {
                  await authAnswer<unknown>((auth) => auth.twoFactor.disable({ password: filled.exact('password') }));
                  await changed();
                }}
              >
                <OwnPassword />
              </ActionForm>
            )}
          </DialogButton>
        ) : (
          <DialogButton label={own.turnOn} look="primary" title={own.secondFactor}>
            {(close) => <TurnOn onDone={() => changed().then(close)} onCancel={close} />}
          </DialogButton>
        )}
      </div>
    </div>
  );
}

async function setUp(password: string): Promise<Setup> {
  const answered = await authAnswer<object>((auth) => auth.twoFactor.enable({ password }));
  if ('totpURI' in answered) return answered as Setup;
  throw new TypeError('the platform offers no codes of an app');
}

/** Password, then the app and its first code; the backup codes are shown with it. */
function TurnOn({ onDone, onCancel }: { onDone: () => Promise<void>; onCancel: () => void }) {
  const [setup, setSetup] = useState<Setup>();
  if (setup === undefined) {
    return (
      <ActionForm
        submit={texts.doorway.secondFactor.submit}
        onCancel={onCancel}
        action={async (filled) => setSetup(await setUp(filled.exact('password')))}
      >
        <OwnPassword />
      </ActionForm>
    );
  }
  return (
    <ActionForm
      submit={own.confirm}
      onCancel={onCancel}
      action={async (filled) => {
        await authAnswer<unknown>((auth) => auth.twoFactor.verifyTotp({ code: filled.text('code').replaceAll(' ', '') }));
        await onDone();
      }}
    >
      <p className="soft small">{own.scan}</p>
      <div className="qr">
        <QRCodeSVG value={setup.totpURI} size={qrSize} title={own.qr} marginSize={2} />
      </div>
      <Snippet text={new URL(setup.totpURI).searchParams.get('secret') ?? ''} label={own.setupKey} />
      <p className="label">{own.backupTitle}</p>
      <p className="soft small">{own.backupText}</p>
      <Snippet text={setup.backupCodes.join('\n')} label={own.backupTitle} />
      <Field label={own.code} name="code" inputMode="numeric" autoComplete="one-time-code" isRequired autoFocus />
    </ActionForm>
  );
}
