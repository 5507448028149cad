import { roles } from '@webkiln/contract';
import { type Command, Option } from 'commander';
import { type InOrganization, organizationOption } from './arguments.ts';
import { ask, organizationId, withIdentity } from './connection.ts';
import { OperatorError } from './operator-error.ts';
import { print, table } from './output.ts';

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('members: the people who work in an organization');

  member
    .command('add')
    .description('add a person to an organization')
    .argument('<email>')
    .addOption(organizationOption())
    .addOption(new Option('--role <role>', 'what the person may do').choices(roles).makeOptionMandatory())
    .action((email: string, { org, role }: InOrganization & { role: string }, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.AddMember', { email, role }, await organizationId(org));
        print(command, answer, () => `Added ${email} as ${role}, id ${answer.member?.id}.`);
      }),
    );

  member
    .command('list')
    .description('list the members of an organization, newest first')
    .addOption(organizationOption())
    .action(({ org }: InOrganization, command: Command) =>
      withIdentity(async () => {
        const answer = await ask('identity.ListMembers', {}, await organizationId(org));
        const rows = answer.members.map(({ id, email, role, created_at }) => [id, email, role, created_at]);
        print(command, answer, () => table(['ID', 'EMAIL', 'ROLE', 'ADDED'], rows));
      }),
    );

  member
    .command('remove')
    .description('remove a person from an organization, and say which keys and embed clients that person made or rotated')
    .argument('<email>')
    .addOption(organizationOption())
    .option('--revoke-keys', 'revoke those keys too, and end the secrets of those embed clients')
    .action((email: string, { org, revokeKeys = false }: InOrganization & { revokeKeys?: boolean }, command: Command) =>
      withIdentity(async () => {
        const orgId = await organizationId(org);
        const request = { member_id: await memberId(email, orgId), revoke_keys: revokeKeys };
        const answer = await ask('identity.RemoveMember', request, orgId);
        print(command, answer, () =>
          [`Removed ${email}.`, ...keysLeft(answer.keys, revokeKeys), ...clientsLeft(answer.embed_clients, revokeKeys)].join('\n'),
        );
      }),
    );
}

/** The id of the member with this email, whatever its case. */
export async function memberId(email: string, orgId: string): Promise<string> {
  const { members } = await ask('identity.ListMembers', {}, orgId);
  const found = members.find((member) => member.email.toLowerCase() === email.toLowerCase());
  if (found === undefined) throw new OperatorError(`No member of the organization has the email ${email}.`);
  return found.id;
}

function keysLeft(keys: readonly { id: string; prefix: string; name: string }[], revoked: boolean): string[] {
  if (keys.length === 0) return [];
  const heading = revoked
    ? 'Revoked the keys this person made or rotated:'
    : 'The keys this person made or rotated still work (`key revoke` ends one):';
  return [heading, ...keys.map(({ id, prefix, name }) => `  ${id}  ${prefix}…  ${name}`)];
}

/** The embed clients whose secret a person was shown, as lines. */
export function clientsLeft(clients: readonly { id: string; name: string }[], ended: boolean): string[] {
  if (clients.length === 0) return [];
  const heading = ended
    ? 'Ended the secrets of the embed clients this person made or rotated; each works again with a new one:'
    : 'The secrets of the embed clients this person made or rotated still work:';
  return [heading, ...clients.map(({ id, name }) => `  ${id}  ${name}`)];
}
