import { useQueryClient } from '@tanstack/react-query';
import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import { callAuth } from '../api/auth.ts';
import { Problem } from '../api/problem.ts';
import { Snippet } from '../components/content/snippet.tsx';
import { DialogButton } from '../components/dialogs/dialog-button.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { CurrentPassword } from '../components/forms/current-password.tsx';
import { Field } from '../components/forms/field.tsx';
import { texts } from '../texts.ts';
import { NewBackupCodes } from './new-backup-codes.tsx';

const t = texts.account;
const qrSize = 168;

interface Setup {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export function SecondFactorSettings({ isOn }: { isOn: boolean }) {
  const queryClient = useQueryClient();
  const changed = () => queryClient.invalidateQueries({ queryKey: ['session'] });
  return (
    <div className="stack">
      <p className="soft">{isOn ? t.secondFactorOn : t.secondFactorOff}</p>
      <div className="actions">
        {isOn ? <NewBackupCodes /> : null}
        {isOn ? (
          <DialogButton label={t.turnOff} title={t.turnOff}>
            {(close) => (
              <ActionForm
                submit={t.turnOff}
                variant="danger"
                onCancel={close}
                action={async (values) => {
                  await callAuth<unknown>((auth) => auth.twoFactor.disable({ password: values.exact('password') }));
                  await changed();
                }}
              >
                <CurrentPassword />
              </ActionForm>
            )}
          </DialogButton>
        ) : (
          <DialogButton label={t.turnOn} variant="primary" title={t.secondFactor}>
            {(close) => <TurnOn onDone={() => changed().then(close)} onCancel={close} />}
          </DialogButton>
        )}
      </div>
    </div>
  );
}

async function setUp(password: string): Promise<Setup> {
  const response = await callAuth<object>((auth) => auth.twoFactor.enable({ password }));
  if ('totpURI' in response) return response as Setup;
  throw new TypeError('the platform offers no codes of an app');
}

async function confirm(code: string): Promise<void> {
  try {
    await callAuth<unknown>((auth) => auth.twoFactor.verifyTotp({ code }));
  } catch (error) {
    throw Problem.of(error).code === 'invalid_code' ? Problem.at('code', t.wrongCode, error) : error;
  }
}

/** Asks for the password, then shows the QR code and backup codes and asks for a first code. */
function TurnOn({ onDone, onCancel }: { onDone: () => Promise<void>; onCancel: () => void }) {
  const [setup, setSetup] = useState<Setup>();
  if (setup === undefined) {
    return (
      <ActionForm
        submit={texts.auth.secondFactor.submit}
        onCancel={onCancel}
        action={async (values) => setSetup(await setUp(values.exact('password')))}
      >
        <CurrentPassword />
      </ActionForm>
    );
  }
  return (
    <ActionForm
      submit={t.confirm}
      onCancel={onCancel}
      action={async (values) => {
        await confirm(values.text('code').replaceAll(' ', ''));
        await onDone();
      }}
    >
      <p className="soft small">{t.scan}</p>
      <div className="qr">
        <QRCodeSVG value={setup.totpURI} size={qrSize} title={t.qr} marginSize={2} />
      </div>
      <Snippet text={new URL(setup.totpURI).searchParams.get('secret') ?? ''} label={t.setupKey} />
      <p className="label">{t.backupTitle}</p>
      <p className="soft small">{t.backupText}</p>
      <Snippet text={setup.backupCodes.join('\n')} label={t.backupTitle} />
      <Field label={t.code} name="code" inputMode="numeric" autoComplete="one-time-code" isRequired autoFocus />
    </ActionForm>
  );
}
