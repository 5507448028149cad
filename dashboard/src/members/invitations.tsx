import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { api, readJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Card } from '../components/layout/card.tsx';
import { RecordTable } from '../components/tables/record-table.tsx';
import { texts } from '../texts.ts';
import { invitationsQuery } from './member-queries.ts';

const t = texts.members;

/** The pending invitations. Renders nothing if there are none. */
export function Invitations() {
  const { data: invitations = [] } = useQuery(invitationsQuery());
  const withdraw = useAction('members', (invitationId: string) =>
    readJson(api.DELETE('/account/invitations/{invitationId}', { params: { path: { invitationId } } })),
  );
  const resend = useAction('members', (invitationId: string) =>
    readJson(api.POST('/account/invitations/{invitationId}/resend', { params: { path: { invitationId } }, body: {} })),
  );
  if (invitations.length === 0) return null;
  return (
    <Card title={t.invitations}>
      <ProblemNotice error={resend.error} />
      {resend.data === undefined ? null : (
        <p className="notice good" role="status">
          {t.resent({ email: resend.data.invitation.email })}
        </p>
      )}
      <RecordTable
        label={t.invitations}
        records={invitations}
        columns={[
          { name: t.email, cell: ({ email }) => email },
          { name: t.role, cell: ({ role }) => texts.roles[role] },
          { name: t.sent, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true },
          { name: t.expires, cell: ({ expires_at }) => <Timestamp at={expires_at} />, wide: true },
          {
            name: t.withdraw,
            unnamed: true,
            end: true,
            cell: ({ id, email }) => (
              <span className="actions end">
                <Button className="button compact quiet" onPress={() => resend.mutate(id)} isPending={resend.isPending}>
                  {t.resend}
                </Button>
                <ConfirmButton label={t.withdraw} title={email} text={t.withdrawText} action={() => withdraw.mutateAsync(id)} />
              </span>
            ),
          },
        ]}
      />
    </Card>
  );
}
