import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { texts } from '../texts.ts';
import { AuthLayout } from './auth-layout.tsx';

const t = texts.auth.invitation;

/** Opened by the link in a member invitation. Only the account with the invited address can accept it. */
export function AcceptInvitationPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [search] = useSearchParams();
  const { pathname, search: query } = useLocation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();

  async function accept() {
    await readJson(api.POST('/account/invitations/accept', { body: { token: search.get('token') ?? '' } }));
    queryClient.clear();
    await navigate('/', { replace: true });
  }

  if (session === null) {
    const next = new URLSearchParams({ next: `${pathname}${query}` });
    return (
      <AuthLayout ignoresBrand title={t.title} text={t.signInFirst}>
        <div className="actions">
          <Link className="button primary" to={`/sign-in?${next}`}>
            {texts.auth.signIn.submit}
          </Link>
          <Link className="button" to={`/sign-up?${next}`}>
            {texts.auth.signIn.toSignUpLink}
          </Link>
        </div>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout ignoresBrand title={t.title} text={`${t.text} ${t.as(session.account.email)}`}>
      <ActionForm action={accept} submit={t.accept} wide>
        {null}
      </ActionForm>
    </AuthLayout>
  );
}
