import { type ComponentProps, useState } from 'react';
import { Problem } from '../api/problem.ts';
import { ActionForm } from './action-form.tsx';
import type { FilledForm } from './filled-form.ts';
import { OwnPassword } from './own-password.tsx';

type Props = Omit<ComponentProps<typeof ActionForm>, 'action'> & {
  readonly action: (filled: FilledForm, password: string | undefined) => Promise<unknown>;
};

/** A form for what takes the password again where signing in was a while ago. */
export function ProvenForm({ action, children, ...form }: Props) {
  const [asksPassword, setAsksPassword] = useState(false);

  async function act(filled: FilledForm) {
    try {
      await action(filled, asksPassword ? filled.exact('password') : undefined);
    } catch (error) {
      if (Problem.of(error).code === 'password_needed') setAsksPassword(true);
      throw error;
    }
  }

  return (
    <ActionForm {...form} action={act}>
      {children}
      {asksPassword ? <OwnPassword autoFocus /> : null}
    </ActionForm>
  );
}
