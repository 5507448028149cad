import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { callAuth } from '../api/auth.ts';
import { api, readJson } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { NewPassword } from '../components/forms/new-password.tsx';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';

const t = texts.auth.invitation;

interface Invitation {
  readonly email: string;
  readonly organization: string;
  readonly has_account: boolean;
}

/** Opened by the link in a member invitation: signs in, or creates the account, and joins with one button. */
export function AcceptInvitationPage() {
  const [search] = useSearchParams();
  const token = search.get('token') ?? '';
  const { data: session } = useSuspenseQuery(sessionQuery);
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => callAuth<Invitation>((auth) => auth.$fetch('/invitation', { method: 'POST', body: { token } })),
  });
  if (query.data === undefined) {
    return (
      <AuthLayout ignoresBrand title={t.title}>
        {query.isError ? <ProblemNotice error={query.error} /> : <Skeleton failure={query.failureReason} />}
      </AuthLayout>
    );
  }
  const { organization, email } = query.data;
  return (
    <AuthLayout ignoresBrand title={t.joinTitle({ organization })} text={t.as({ email: session?.account.email ?? email })}>
      {session === null ? <JoinForm {...query.data} token={token} /> : <JoinSignedIn token={token} />}
    </AuthLayout>
  );
}

/** Opens the home page as the member that this browser is from now on. */
function useOpenHome(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    queryClient.clear();
    await navigate('/', { replace: true });
  };
}

function JoinSignedIn({ token }: { token: string }) {
  const openHome = useOpenHome();
  const accept = () => readJson(api.POST('/account/invitations/accept', { body: { token } })).then(openHome);
  return <ActionForm action={accept} submit={t.accept} wide />;
}

function JoinForm({ token, email, has_account }: Invitation & { token: string }) {
  const openHome = useOpenHome();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();

  async function join(values: FormValues) {
    const body = { token, password: values.exact('password'), ...(has_account ? {} : { name: values.text('name') }) };
    const { user } = await callAuth<{ user?: object }>((auth) => auth.$fetch('/join', { method: 'POST', body }));
    if (user !== undefined) return openHome();
    // The account has a second factor, which the sign-in page asks for.
    await navigate(`/sign-in?${new URLSearchParams({ email, next: `${pathname}${search}` })}`);
  }

  return (
    <ActionForm action={join} submit={t.accept} wide>
      {has_account ? null : <Field label={texts.auth.signUp.name} name="name" autoComplete="name" maxLength={200} isRequired autoFocus />}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      {has_account ? (
        <Field label={texts.auth.password} name="password" type="password" autoComplete="current-password" isRequired autoFocus />
      ) : (
        <NewPassword label={texts.auth.password} name="password" />
      )}
    </ActionForm>
  );
}
