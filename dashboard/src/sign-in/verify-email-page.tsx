import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { Link, useSearchParams } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';

const t = texts.auth.verify;

export function VerifyEmailPage() {
  const [search] = useSearchParams();
  const email = search.get('email') ?? '';
  const again = useMutation({ mutationFn: () => callAuth<unknown>((auth) => auth.sendVerificationEmail({ email, callbackURL: '/' })) });
  return (
    <AuthLayout title={t.title} text={t.text({ email })}>
      <ProblemNotice error={again.error} />
      {again.isSuccess ? (
        <p className="notice good" role="status">
          {t.sent}
        </p>
      ) : null}
      <div className="actions">
        <Link className="button primary" to={`/sign-in`}>
          {t.toSignIn}
        </Link>
        <Button className="button" onPress={() => again.mutate()} isPending={again.isPending}>
          {t.again}
        </Button>
      </div>
    </AuthLayout>
  );
}
