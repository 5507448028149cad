import { Link, useNavigate, useSearchParams } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { NewPassword } from '../components/forms/new-password.tsx';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';
import { nextPath } from './next-path.ts';

const t = texts.auth.signUp;

/** The parameter of a sign-up that makes no organization. */
export const joinsAgency = 'agency';

export function SignUpPage() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  // An invited member and a client of the agency of a build link join an existing organization and do not create one.
  const joins = nextPath(search).startsWith('/accept-invitation') || search.has(joinsAgency);

  async function signUp(values: FormValues) {
    const email = values.text('email');
    const organization = joins ? {} : { organization_name: values.text('organization_name') };
    const account = { email, password: values.exact('password'), name: values.text('name'), callbackURL: nextPath(search) };
    await callAuth<unknown>((auth) => auth.signUp.email({ ...account, ...organization }));
    await navigate(`/verify-email?${new URLSearchParams({ email })}`);
  }

  return (
    <AuthLayout
      ignoresBrand
      title={t.title}
      text={t.text}
      footer={
        <>
          {t.toSignIn}{' '}
          <Link className="link" to={`/sign-in?${search}`}>
            {t.toSignInLink}
          </Link>
        </>
      }
    >
      <ActionForm action={signUp} submit={t.submit} wide>
        <Field label={t.name} name="name" autoComplete="name" maxLength={200} isRequired autoFocus />
        {joins ? null : <Field label={t.organization} name="organization_name" autoComplete="organization" maxLength={200} isRequired />}
        <Field label={texts.auth.email} name="email" type="email" autoComplete="username" isRequired />
        <NewPassword label={texts.auth.password} name="password" />
      </ActionForm>
    </AuthLayout>
  );
}
