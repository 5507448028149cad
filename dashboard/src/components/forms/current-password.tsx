import { texts } from '../../texts.ts';
import { Field } from './field.tsx';

/** Asks the signed-in user for the password again. */
export const CurrentPassword = ({ autoFocus = false }: { autoFocus?: boolean }) => (
  <Field
    label={texts.account.confirmPassword}
    name="password"
    type="password"
    autoComplete="current-password"
    isRequired
    autoFocus={autoFocus}
  />
);
