import { browserSupportsWebAuthn } from '@simplewebauthn/browser';
import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { Problem } from '../api/problem.ts';
import { loadRememberedBrand } from '../brand/remembered-brand.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';
import { SecondFactor } from './second-factor.tsx';
import { useOpenNext } from './use-open-next.ts';

/** Renewed before the challenge expires after 5 minutes. */
const renewMs = 4 * 60_000;

/** Loaded after the page is shown. */
const passkeys = () => import('../api/passkeys.ts');

/** Signs in with a passkey, by a button and by autofill. Renders nothing if the browser has no WebAuthn. */
function PasskeySignIn({ onSignedIn }: { onSignedIn: () => Promise<void> }) {
  const byButton = useMutation({ mutationFn: async () => (await passkeys()).signInByPasskey().then(onSignedIn) });
  const byAutofill = useMutation({
    mutationFn: async (signal: AbortSignal) => ((await (await passkeys()).signInByAutofill(signal)) ? onSignedIn() : undefined),
  });
  const { mutate: offer } = byAutofill;
  const { isPending } = byButton;

  // A browser allows one WebAuthn request at a time, so the button ends the autofill offer.
  useEffect(() => {
    if (isPending) return;
    let controller = new AbortController();
    offer(controller.signal);
    const renewal = setInterval(() => {
      controller.abort();
      controller = new AbortController();
      offer(controller.signal);
    }, renewMs);
    return () => {
      clearInterval(renewal);
      controller.abort();
    };
  }, [offer, isPending]);

  if (!browserSupportsWebAuthn()) return null;
  return (
    <>
      <ProblemNotice error={byButton.error ?? byAutofill.error} />
      <Button className="button wide" isPending={isPending} onPress={() => byButton.mutate()}>
        <KeyRound aria-hidden size={16} />
        {texts.auth.signIn.byPasskey}
      </Button>
    </>
  );
}

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
