import { roles } from '@webkiln/contract';
import { type Command, Option } from 'commander';
import { type InOrganization, organizationOption } from './arguments.ts';
import { ask, organizationId, withIdentity, withService } from './connection.ts';
import { OperatorError } from './operator-error.ts';
import { print, table } from './output.ts';

interface InviteOptions extends InOrganization {
  readonly role: string;
  readonly for?: string;
}

const roleOption = () => new Option('--role <role>', 'what the person may do').choices(roles).makeOptionMandatory();

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('members: the people who work in an organization');

  member
    .command('add')
    .description('add a person to an organization')
    .argument('<email>')
    .addOption(organizationOption())
    .addOption(roleOption())
    .action((email: string, { org, role }: InOrganization & { role: string }, command: Command) =>
      withIdentity(async () => {
        const answer = await addMember(email, role, await organizationId(org));
        print(command, answer, () => `Added ${email} as ${role}, id ${answer.member?.id}.\n${signInNote(email, answer.link)}`);
      }),
    );

  member
    .command('invite')
    .description('mail a person an invitation, or the open one again; a member who may invite answers for it')
    .argument('<email>')
    .addOption(organizationOption())
    .addOption(roleOption())
    .option('--for <email>', 'the member who answers for it (default: the first owner)')
    .action((email: string, { org, role, for: inviter }: InviteOptions, command: Command) =>
      withIdentity(async () => {
        const orgId = await organizationId(org);
        const invited_by = inviter === undefined ? await firstOwner(orgId) : await memberId(inviter, orgId);
        const answer = await ask('identity.InviteMember', { email, role, invited_by }, orgId);
        const sent = answer.again ? 'Mailed the open invitation again' : `Invited as ${role}`;
        print(command, answer, () => `${sent}: ${email}, until ${answer.expires_at}.`);
      }),
    );

  member
    .command('role')
    .description('change what a member may do; the last owner stays one')
    .argument('<email>')
    .addOption(organizationOption())
    .addOption(roleOption())
    .action((email: string, { org, role }: InOrganization & { role: string }, command: Command) =>
      withIdentity(async () => {
        const orgId = await organizationId(org);
        const answer = await ask('identity.ChangeMemberRole', { member_id: await memberId(email, orgId), role }, orgId);
        print(command, answer, () => `${email} is ${answer.member?.role} now.`);
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
    .description('remove a person from an organization, and say which keys, embed clients and webhooks that person made or rotated')
    .argument('<email>')
    .addOption(organizationOption())
    .option('--revoke-keys', 'revoke those keys too, and end the secrets of those embed clients')
    .action(async (email: string, { org, revokeKeys = false }: InOrganization & { revokeKeys?: boolean }, command: Command) => {
      const { id, orgId, answer } = await withIdentity(async () => {
        const orgId = await organizationId(org);
        const id = await memberId(email, orgId);
        return { id, orgId, answer: await ask('identity.RemoveMember', { member_id: id, revoke_keys: revokeKeys }, orgId) };
      });
      const known = [...keysLeft(answer.keys, revokeKeys), ...clientsLeft(answer.embed_clients, revokeKeys)];
      const webhooks = await webhooksKnownTo(id, orgId);
      print(command, { ...answer, webhooks }, () => [`Removed ${email}.`, ...known, ...secretsLeft(webhooks)].join('\n'));
    });
}

/** Adds a member; a person who cannot sign in yet gets a link to choose a password. */
export async function addMember(email: string, role: string, orgId: string) {
  const { member } = await ask('identity.AddMember', { email, role }, orgId);
  return { member, link: await ask('identity.CreatePasswordLink', { email, unless_password: true }) };
}

/** How a new member signs in. */
export const signInNote = (email: string, { url, expires_at }: { url?: string; expires_at?: string }): string =>
  url === undefined
    ? `${email} has a password already, and signs in with it.`
    : `No mail is sent. Give ${email} this link to choose a password; it works once, until ${expires_at}:\n  ${url}`;

async function firstOwner(orgId: string): Promise<string> {
  const { members } = await ask('identity.ListMembers', {}, orgId);
  const owner = members.findLast(({ role }) => role === 'owner');
  if (owner === undefined) throw new OperatorError('The organization has no owner who could invite: `member add` makes one.');
  return owner.id;
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

/** The webhooks whose secret a member was shown; undefined if they cannot be read now. */
async function webhooksKnownTo(id: string, orgId: string) {
  try {
    const { webhook_secrets } = await withService('webhooks', () => ask('webhooks.ListWebhookSecrets', {}, orgId));
    return webhook_secrets.filter(({ shown_to }) => shown_to === id);
  } catch {
    return undefined;
  }
}

function secretsLeft(webhooks: readonly { id: string; url: string }[] | undefined): string[] {
  if (webhooks === undefined) return ['The webhooks could not be read: their pages in the dashboard say whose secrets to rotate.'];
  if (webhooks.length === 0) return [];
  const heading = 'This person knows the secrets of these webhooks: an owner or developer rotates each, and tells its receiver:';
  return [heading, ...webhooks.map(({ id, url }) => `  ${id}  ${url}`)];
}
