import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { authAnswer } from '../api/auth.ts';
import { Problem } from '../api/problem.ts';
import { sessionQuery } from '../api/session.ts';
import { rememberedBrand } from '../brand/remembered.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { texts } from '../texts.ts';
import { Doorway } from './doorway.tsx';
import { nextPath } from './next-path.ts';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { SecondFactor } from './second-factor.tsx';

const own = texts.doorway.signIn;

export function SignInPage() {
  const [search] = useSearchParams();
  const [asksCode, setAsksCode] = useState(false);
  // Clients are invited: an account of one's own is an agency's.
  const [isClients] = useState(() => rememberedBrand() !== null);
  const navigate = useNavigate();
  const queries = useQueryClient();

  async function enter() {
    queries.clear();
    await queries.fetchQuery(sessionQuery);
    await navigate(nextPath(search), { replace: true });
  }

  async function signIn(filled: FilledForm) {
    const email = filled.text('email');
    try {
      const answered = await authAnswer<object>((auth) => auth.signIn.email({ email, password: filled.exact('password') }));
      if ('twoFactorRedirect' in answered && answered.twoFactorRedirect) setAsksCode(true);
      else await enter();
    } catch (error) {
      if (Problem.of(error).code !== 'email_not_verified') throw error;
      await navigate(`/verify-email?${new URLSearchParams({ email })}`);
    }
  }

  if (asksCode) return <SecondFactor onEnter={enter} />;
  return (
    <Doorway
      title={own.title}
      text={own.text}
      foot={
        isClients ? null : (
          <>
            {own.toSignUp}{' '}
            <Link className="link" to={`/sign-up?${search}`}>
              {own.toSignUpLink}
            </Link>
          </>
        )
      }
    >
      <ActionForm action={signIn} submit={own.submit} wide>
        <Field label={texts.doorway.email} name="email" type="email" autoComplete="username webauthn" isRequired autoFocus />
        <Field label={texts.doorway.password} name="password" type="password" autoComplete="current-password" isRequired />
      </ActionForm>
      <PasskeySignIn onEnter={enter} />
      <Link className="link small" to="/forgot-password">
        {own.forgot}
      </Link>
    </Doorway>
  );
}
