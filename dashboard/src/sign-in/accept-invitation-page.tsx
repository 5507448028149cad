import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { answer, api } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { ActionForm } from '../components/action-form.tsx';
import { texts } from '../texts.ts';
import { Doorway } from './doorway.tsx';

const own = texts.doorway.invitation;

/** Behind the link of an invitation to be a member: it is accepted by the account of the address that it went to. */
export function AcceptInvitationPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [search] = useSearchParams();
  const { pathname, search: asked } = useLocation();
  const navigate = useNavigate();
  const queries = useQueryClient();

  async function accept() {
    await answer(api.POST('/account/invitations/accept', { body: { token: search.get('token') ?? '' } }));
    queries.clear();
    await navigate('/', { replace: true });
  }

  if (session === null) {
    const next = new URLSearchParams({ next: `${pathname}${asked}` });
    return (
      <Doorway isOurs title={own.title} text={own.signInFirst}>
        <div className="actions">
          <Link className="button primary" to={`/sign-in?${next}`}>
            {texts.doorway.signIn.submit}
          </Link>
          <Link className="button" to={`/sign-up?${next}`}>
            {texts.doorway.signIn.toSignUpLink}
          </Link>
        </div>
      </Doorway>
    );
  }
  return (
    <Doorway isOurs title={own.title} text={`${own.text} ${own.as(session.account.email)}`}>
      <ActionForm action={accept} submit={own.accept} wide>
        {null}
      </ActionForm>
    </Doorway>
  );
}
