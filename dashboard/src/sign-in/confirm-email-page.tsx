import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { Problem } from '../api/problem.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';
import { useOpenNext } from './use-open-next.ts';

const t = texts.auth.confirm;

interface Confirmed {
  /** Absent if the link was used before. */
  readonly user?: object;
}

/** Opened by the link in the mail after sign-up. Only its button uses the link: scanners of mails open links, too. */
export function ConfirmEmailPage() {
  const [search] = useSearchParams();
  const openNext = useOpenNext();
  const token = search.get('token') ?? '';
  const [outcome, setOutcome] = useState<'used' | 'invalid' | null>(token === '' ? 'invalid' : null);

  async function confirm() {
    try {
      const { user } = await callAuth<Confirmed>((auth) => auth.$fetch('/confirm-email', { method: 'POST', body: { token } }));
      if (user === undefined) setOutcome('used');
      else await openNext();
    } catch (error) {
      if (Problem.of(error).code !== 'invalid_token') throw error;
      setOutcome('invalid');
    }
  }

  if (outcome !== null) {
    return (
      <AuthLayout title={t.title} text={t[outcome]}>
        <Link className="button primary wide" to={`/sign-in?${withoutToken(search)}`}>
          {texts.auth.signIn.submit}
        </Link>
      </AuthLayout>
    );
  }
  const email = emailIn(token);
  return (
    <AuthLayout title={t.title} text={email === undefined ? t.textUnnamed : t.text({ email })}>
      <ActionForm action={confirm} submit={t.submit} wide />
    </AuthLayout>
  );
}

function withoutToken(search: URLSearchParams): URLSearchParams {
  const left = new URLSearchParams(search);
  left.delete('token');
  return left;
}

/** The address in the token (a JWT), to be shown; the server checks the token. Undefined if it cannot be read. */
function emailIn(token: string): string | undefined {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { email } = JSON.parse(atob(payload)) as { email?: unknown };
    return typeof email === 'string' ? email : undefined;
  } catch {
    return undefined;
  }
}
