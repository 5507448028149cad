import { texts } from '../texts.ts';
import { Field } from './field.tsx';

/** The field of a password that is being chosen, as long as the platform takes one. */
export function NewPassword({ label, name, autoFocus = false }: { label: string; name: string; autoFocus?: boolean }) {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      hint={texts.doorway.passwordHint}
      minLength={8}
      maxLength={128}
      isRequired
      autoFocus={autoFocus}
    />
  );
}
