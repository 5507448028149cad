import { texts } from '../texts.ts';
import { Field } from './field.tsx';

/** The password of who is signed in, asked for again before something sensitive. */
export const OwnPassword = ({ autoFocus = false }: { autoFocus?: boolean }) => (
  <Field
    label={texts.account.confirmPassword}
    name="password"
    type="password"
    autoComplete="current-password"
    isRequired
    autoFocus={autoFocus}
  />
);
