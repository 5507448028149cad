import { type ComponentProps, useState } from 'react';
import { Problem } from '../../api/problem.ts';
import { ActionForm } from './action-form.tsx';
import { CurrentPassword } from './current-password.tsx';
import type { FormValues } from './form-values.ts';

type Props = Omit<ComponentProps<typeof ActionForm>, 'action'> & {
  readonly action: (values: FormValues, password: string | undefined) => Promise<unknown>;
};

/** A form that asks for the password if the API requires recent authentication. */
export function ReauthForm({ action, children, ...form }: Props) {
  const [asksPassword, setAsksPassword] = useState(false);

  async function act(values: FormValues) {
    try {
      await action(values, asksPassword ? values.exact('password') : undefined);
    } catch (error) {
      if (Problem.of(error).code === 'password_needed') setAsksPassword(true);
      throw error;
    }
  }

  return (
    <ActionForm {...form} action={act}>
      {children}
      {asksPassword ? <CurrentPassword autoFocus /> : null}
    </ActionForm>
  );
}
