import { Link, useNavigate, useSearchParams } from 'react-router';
import { authAnswer } from '../api/auth.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { NewPassword } from '../components/new-password.tsx';
import { texts } from '../texts.ts';
import { Doorway } from './doorway.tsx';
import { nextPath } from './next-path.ts';

const own = texts.doorway.signUp;

export function SignUpPage() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  // Who follows an invitation joins an organization and needs none of his own.
  const isInvited = nextPath(search).startsWith('/accept-invitation');

  async function signUp(filled: FilledForm) {
    const email = filled.text('email');
    const organization = isInvited ? {} : { organization_name: filled.text('organization_name') };
    const account = { email, password: filled.exact('password'), name: filled.text('name'), callbackURL: nextPath(search) };
    await authAnswer<unknown>((auth) => auth.signUp.email({ ...account, ...organization }));
    await navigate(`/verify-email?${new URLSearchParams({ email })}`);
  }

  return (
    <Doorway
      isOurs
      title={own.title}
      text={own.text}
      foot={
        <>
          {own.toSignIn}{' '}
          <Link className="link" to={`/sign-in?${search}`}>
            {own.toSignInLink}
          </Link>
        </>
      }
    >
      <ActionForm action={signUp} submit={own.submit} wide>
        <Field label={own.name} name="name" autoComplete="name" maxLength={200} isRequired autoFocus />
        {isInvited ? null : (
          <Field label={own.organization} name="organization_name" autoComplete="organization" maxLength={200} isRequired />
        )}
        <Field label={texts.doorway.email} name="email" type="email" autoComplete="username" isRequired />
        <NewPassword label={texts.doorway.password} name="password" />
      </ActionForm>
    </Doorway>
  );
}
