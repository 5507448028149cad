import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callAuth } from '../api/auth.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { NewPassword } from '../components/forms/new-password.tsx';
import { texts } from '../texts.ts';

const t = texts.account;

/** Changes the password, which signs out every other device. */
export function ChangePassword() {
  const [changes, setChanges] = useState(0);
  const queryClient = useQueryClient();

  async function change(values: FormValues) {
    const passwords = { currentPassword: values.exact('current'), newPassword: values.exact('next') };
    await callAuth<unknown>((auth) => auth.changePassword({ ...passwords, revokeOtherSessions: true }));
    setChanges(changes + 1);
    await queryClient.invalidateQueries({ queryKey: ['devices'] });
  }

  return (
    <div className="stack" key={changes}>
      {changes === 0 ? null : (
        <p className="notice good" role="status">
          {t.changed}
        </p>
      )}
      <ActionForm action={change} submit={t.change}>
        <Field label={t.current} name="current" type="password" autoComplete="current-password" isRequired />
        <NewPassword label={t.next} name="next" />
      </ActionForm>
    </div>
  );
}
