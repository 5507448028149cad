import { useQuery } from '@tanstack/react-query';
import { answer, api, type Schemas } from '../api/client.ts';
import { may } from '../api/may.ts';
import { useSession } from '../api/session.ts';
import { Badge } from '../components/badge.tsx';
import { Choice } from '../components/choice.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { Field } from '../components/field.tsx';
import { Moment } from '../components/moment.tsx';
import { ProblemNotice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';
import { Invitations } from './invitations.tsx';
import { membersQuery } from './member-queries.ts';
import { RemoveMember } from './remove-member.tsx';

const own = texts.members;
type Role = Schemas['Member']['role'];
const roles: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];

export function MembersPage() {
  const { account, role } = useSession();
  const query = useQuery(membersQuery());
  // Only an owner makes or unmakes owners.
  const given = roles.filter((each) => each !== 'owner' || may(role, 'makeOwners'));
  const options = given.map((id) => ({ id, label: texts.roles[id] }));
  const change = useAct('members', ({ memberId, role }: { memberId: string; role: Role }) =>
    answer(api.PATCH('/account/members/{memberId}', { params: { path: { memberId } }, body: { role } })),
  );

  return (
    <Page
      title={own.title}
      text={own.text}
      actions={
        <CreateDialog
          label={own.invite}
          text={own.inviteText}
          submit={own.inviteSubmit}
          area="members"
          create={(filled) => {
            const body = { email: filled.text('email'), role: filled.text('role') as Role };
            return answer(api.POST('/account/invitations', { body }));
          }}
        >
          <Field label={own.email} name="email" type="email" maxLength={254} isRequired autoFocus />
          <Choice
            label={own.role}
            name="role"
            options={given.map((id) => ({ id, label: `${texts.roles[id]} – ${texts.roleHints[id]}` }))}
            initial="developer"
          />
        </CreateDialog>
      }
    >
      <ProblemNotice error={change.error} />
      <RecordList
        label={own.title}
        query={query}
        records={(members) => members}
        columns={[
          {
            name: own.member,
            cell: ({ name, email }) => (
              <span className="two-lines">
                <span className="badges">
                  <strong>{name ?? email}</strong>
                  {email === account.email ? <Badge>{own.you}</Badge> : null}
                </span>
                <span>{name === null ? null : email}</span>
              </span>
            ),
          },
          {
            name: own.role,
            cell: (member) =>
              given.includes(member.role) ? (
                <Choice
                  label={own.roleOf(member.email)}
                  labelHidden
                  options={options}
                  value={member.role}
                  onChange={(role) => change.mutate({ memberId: member.id, role: role as Role })}
                />
              ) : (
                texts.roles[member.role]
              ),
          },
          { name: own.since, cell: ({ created_at }) => <Moment at={created_at} />, wide: true },
          {
            name: own.remove,
            unnamed: true,
            end: true,
            cell: (member) => (given.includes(member.role) ? <RemoveMember member={member} /> : null),
          },
        ]}
      />
      <Invitations />
    </Page>
  );
}
