import * as z from 'zod';
import { CreatedAt, Email, Name, oneOf, RecordId, Total } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { roles, sessionRoles } from '../../http/roles.ts';
import { wire } from '../../wire/wire.ts';
import { EmbedClient } from '../building/embed-clients.ts';
import { Key } from './keys.ts';

export const MemberRole = oneOf(roles).meta({
  id: 'MemberRole',
  description:
    'From the most to the fewest rights. `owner`: everything; `admin`: all but what only owners change; `developer`: projects, templates, keys and webhooks, no money; `viewer`: reads',
});
export const Role = oneOf(sessionRoles).meta({
  id: 'Role',
  description: "A member's role, or `client` for a user of a client, who sees the client's own projects alone",
});

export const Member = z
  .object({
    id: RecordId.describe('Names the member in this organization'),
    email: Email.describe('What the person signs in with'),
    name: Name.nullable().describe('As the person calls itself; null if it has given no name'),
    role: MemberRole,
    created_at: CreatedAt,
  })
  .meta({ id: 'Member', description: 'A person who works in the organization' });

export const managing = { tag: 'Organization', area: 'members' } as const;
export const managers = ['owner', 'admin'] as const;

export const listMembers = defineOperation({
  ...managing,
  method: 'GET',
  path: '/account/members',
  summary: "List the organization's members, newest first",
  description: 'All of them; open invitations are in GET /account/invitations.',
  permission: 'read',
  rpc: 'accounts.ListMembers',
  output: z.object({ members: z.array(Member).describe('The members, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const changeMember = defineOperation({
  ...managing,
  method: 'PATCH',
  path: '/account/members/{memberId}',
  summary: 'Give a member another role, within a second; only owners make and unmake owners, and one stays',
  description: 'Admins change everybody but owners. Keys that the member made keep the role that it had then.',
  permission: 'write',
  roles: managers,
  rpc: 'accounts.ChangeMember',
  input: z.strictObject({ role: MemberRole.describe('The new role') }).partial(),
  output: z.object({ member: Member }),
  success: 200,
  etag: false,
  errors: ['member_not_found', 'last_owner'],
});

export const removeMember = defineOperation({
  ...managing,
  method: 'DELETE',
  path: '/account/members/{memberId}',
  summary: 'Remove a member, within a second; the response lists the keys and embed clients that the member created or rotated',
  description:
    'Signing secrets of webhooks that it was shown go on: `GET /account/webhook-secrets` names them. Rotate each, and give the new one to its receiver.',
  permission: 'write',
  roles: managers,
  rpc: 'accounts.RemoveMember',
  input: z.strictObject({
    revoke_keys: z
      .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' })
      .optional()
      .meta({ description: 'True to revoke these keys too, and to end the secrets of these embed clients', override: { type: 'boolean' } })
      .register(wire, { as: z.boolean() }),
  }),
  output: z.object({
    deleted: z.boolean().describe('Always true: who was no member is 404'),
    id: RecordId.describe('The id of the member that was removed'),
    keys: z.array(Key).describe('The API keys that it made or rotated: they go on unless `revoke_keys` was true'),
    embed_clients: z
      .array(EmbedClient)
      .describe('The embed clients that it made or rotated: their secrets go on unless `revoke_keys` was true'),
  }),
  success: 200,
  etag: false,
  errors: ['member_not_found', 'last_owner', 'validation_failed'],
});
