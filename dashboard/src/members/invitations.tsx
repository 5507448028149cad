import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { Card } from '../components/card.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Moment } from '../components/moment.tsx';
import { Records } from '../components/records.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';
import { invitationsQuery } from './member-queries.ts';

const own = texts.members;

/** Who was invited and has not come yet; nothing where nobody was. */
export function Invitations() {
  const { data: invitations = [] } = useQuery(invitationsQuery());
  const withdraw = useAct('members', (invitationId: string) =>
    answer(api.DELETE('/account/invitations/{invitationId}', { params: { path: { invitationId } } })),
  );
  if (invitations.length === 0) return null;
  return (
    <Card title={own.invitations}>
      <Records
        label={own.invitations}
        records={invitations}
        columns={[
          { name: own.email, cell: ({ email }) => email },
          { name: own.role, cell: ({ role }) => texts.roles[role] },
          { name: own.sent, cell: ({ created_at }) => <Moment at={created_at} />, wide: true },
          { name: own.expires, cell: ({ expires_at }) => <Moment at={expires_at} />, wide: true },
          {
            name: own.withdraw,
            unnamed: true,
            end: true,
            cell: ({ id, email }) => (
              <ConfirmButton label={own.withdraw} title={email} text={own.withdrawText} action={() => withdraw.mutateAsync(id)} />
            ),
          },
        ]}
      />
    </Card>
  );
}
