import { useQuery } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { useSession } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Field } from '../components/forms/field.tsx';
import { Select } from '../components/forms/select.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { Invitations } from './invitations.tsx';
import { membersQuery } from './member-queries.ts';
import { RemoveMember } from './remove-member.tsx';
import { RequiredFactor } from './required-factor.tsx';

const t = texts.members;
type Role = Schemas['Member']['role'];
const roles: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];

export function MembersPage() {
  const { account, role } = useSession();
  const query = useQuery(membersQuery());
  // Only an owner grants or removes the owner role.
  const grantableRoles = roles.filter((each) => each !== 'owner' || hasPermission(role, 'makeOwners'));
  const options = grantableRoles.map((id) => ({ id, label: texts.roles[id] }));
  const change = useAction('members', ({ memberId, role }: { memberId: string; role: Role }) =>
    readJson(api.PATCH('/account/members/{memberId}', { params: { path: { memberId } }, body: { role } })),
  );

  return (
    <Page
      title={texts.pages.members}
      text={t.text}
      actions={
        <CreateDialog
          label={t.invite}
          text={t.inviteText}
          submit={t.inviteSubmit}
          area="members"
          create={(values) => {
            const body = { email: values.text('email'), role: values.text('role') as Role };
            return readJson(api.POST('/account/invitations', { body }));
          }}
        >
          <Field label={t.email} name="email" type="email" maxLength={254} isRequired autoFocus />
          <Select
            label={t.role}
            name="role"
            options={grantableRoles.map((id) => ({ id, label: `${texts.roles[id]} – ${texts.roleHints[id]}` }))}
            initial="developer"
          />
        </CreateDialog>
      }
    >
      <ProblemNotice error={change.error} />
      <RecordList
        label={texts.pages.members}
        query={query}
        records={(members) => members}
        columns={[
          {
            name: t.member,
            cell: ({ name, email }) => (
              <span className="two-lines">
                <span className="badges">
                  <strong>{name ?? email}</strong>
                  {email === account.email ? <Badge>{t.you}</Badge> : null}
                </span>
                <span>{name === null ? null : email}</span>
              </span>
            ),
          },
          {
            name: t.role,
            cell: (member) =>
              grantableRoles.includes(member.role) ? (
                <Select
                  label={t.roleOf({ email: member.email })}
                  labelHidden
                  options={options}
                  value={member.role}
                  onChange={(role) => change.mutate({ memberId: member.id, role: role as Role })}
                />
              ) : (
                texts.roles[member.role]
              ),
          },
          { name: t.since, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true },
          {
            name: t.remove,
            unnamed: true,
            end: true,
            cell: (member) => (grantableRoles.includes(member.role) ? <RemoveMember member={member} /> : null),
          },
        ]}
      />
      <Invitations />
      <RequiredFactor />
    </Page>
  );
}
