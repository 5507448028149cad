import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { Problem } from '../api/problem.ts';
import { loadRememberedBrand } from '../brand/remembered-brand.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { SecondFactor } from './second-factor.tsx';
import { useOpenNext } from './use-open-next.ts';

const t = texts.auth.signIn;

export function SignInPage() {
  const [search] = useSearchParams();
  const [asksCode, setAsksCode] = useState(false);
  // Only agencies sign up; clients are invited.
  const [isClientBrand] = useState(() => loadRememberedBrand() !== null);
  const navigate = useNavigate();
  const openNext = useOpenNext();

  async function signIn(values: FormValues) {
    const email = values.text('email');
    try {
      const response = await callAuth<object>((auth) => auth.signIn.email({ email, password: values.exact('password') }));
      if ('twoFactorRedirect' in response && response.twoFactorRedirect) setAsksCode(true);
      else await openNext();
    } catch (error) {
      if (Problem.of(error).code !== 'email_not_verified') throw error;
      await navigate(`/verify-email?${new URLSearchParams({ email })}`);
    }
  }

  if (asksCode) return <SecondFactor onSignedIn={openNext} />;
  return (
    <AuthLayout
      title={t.title}
      text={t.text}
      footer={
        isClientBrand ? null : (
          <>
            {t.toSignUp}{' '}
            <Link className="link" to={`/sign-up?${search}`}>
              {t.toSignUpLink}
            </Link>
          </>
        )
      }
    >
      <ActionForm action={signIn} submit={t.submit} wide>
        <Field
          label={texts.auth.email}
          name="email"
          type="email"
          autoComplete="username webauthn"
          defaultValue={search.get('email') ?? ''}
          isRequired
          autoFocus
        />
        <Field label={texts.auth.password} name="password" type="password" autoComplete="current-password" isRequired />
      </ActionForm>
      <PasskeySignIn onSignedIn={openNext} />
      <Link className="link small" to="/forgot-password">
        {t.forgot}
      </Link>
    </AuthLayout>
  );
}
