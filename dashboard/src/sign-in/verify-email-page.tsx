import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { Link, useSearchParams } from 'react-router';
import { authAnswer } from '../api/auth.ts';
import { ProblemNotice } from '../components/notice.tsx';
import { texts } from '../texts.ts';
import { Doorway } from './doorway.tsx';

const own = texts.doorway.verify;

export function VerifyEmailPage() {
  const [search] = useSearchParams();
  const email = search.get('email') ?? '';
  const again = useMutation({ mutationFn: () => authAnswer<unknown>((auth) => auth.sendVerificationEmail({ email, callbackURL: '/' })) });
  return (
    <Doorway title={own.title} text={own.text(email)}>
      <ProblemNotice error={again.error} />
      {again.isSuccess ? (
        <p className="notice good" role="status">
          {own.sent}
        </p>
      ) : null}
      <div className="actions">
        <Link className="button primary" to={`/sign-in`}>
          {own.toSignIn}
        </Link>
        <Button className="button" onPress={() => again.mutate()} isPending={again.isPending}>
          {own.again}
        </Button>
      </div>
    </Doorway>
  );
}
