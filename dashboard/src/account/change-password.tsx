import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { authAnswer } from '../api/auth.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { NewPassword } from '../components/new-password.tsx';
import { texts } from '../texts.ts';

const own = texts.account;

/** A new password, which signs out every other device. */
export function ChangePassword() {
  const [changes, setChanges] = useState(0);
  const queries = useQueryClient();

  async function change(filled: FilledForm) {
    const passwords = { currentPassword: filled.exact('current'), newPassword: filled.exact('next') };
    await authAnswer<unknown>((auth) => auth.changePassword({ ...passwords, revokeOtherSessions: true }));
    setChanges(changes + 1);
    await queries.invalidateQueries({ queryKey: ['devices'] });
  }

  return (
    <div className="stack" key={changes}>
      {changes === 0 ? null : (
        <p className="notice good" role="status">
          {own.changed}
        </p>
      )}
      <ActionForm action={change} submit={own.change}>
        <Field label={own.current} name="current" type="password" autoComplete="current-password" isRequired />
        <NewPassword label={own.next} name="next" />
      </ActionForm>
    </div>
  );
}
