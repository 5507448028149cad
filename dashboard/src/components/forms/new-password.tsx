import { texts } from '../../texts.ts';
import { Field } from './field.tsx';

/** The field for choosing a password. */
export function NewPassword({ label, name, autoFocus = false }: { label: string; name: string; autoFocus?: boolean }) {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      hint={texts.auth.passwordHint}
      minLength={8}
      maxLength={128}
      isRequired
      autoFocus={autoFocus}
    />
  );
}
