import { useSuspenseQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { Navigate, useSearchParams } from 'react-router';
import { SecondFactorSettings } from '../account/second-factor-settings.tsx';
import { sessionQuery } from '../api/session.ts';
import { useSignOut } from '../api/use-sign-out.ts';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';
import { nextPath } from './next-path.ts';

const t = texts.auth.requiredFactor;

/** For a member whose organization requires a second factor, before anything else. Leads on once it is set up. */
export function RequiredFactorPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [search] = useSearchParams();
  const signOut = useSignOut();
  if (session === null) return <Navigate to="/sign-in" replace />;
  if (!session.second_factor_required) return <Navigate to={nextPath(search)} replace />;

  return (
    <AuthLayout ignoresBrand title={t.title} text={t.text({ organization: session.organization?.name ?? '' })}>
      <SecondFactorSettings isOn={false} />
      <Button className="button quiet" onPress={() => void signOut()}>
        {texts.shell.signOut}
      </Button>
    </AuthLayout>
  );
}
