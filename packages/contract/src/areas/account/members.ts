import * as z from 'zod';
import { Email, Name, oneOf, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { roles } from '../../http/roles.ts';
import { wire } from '../../wire/wire.ts';
import { EmbedClient } from '../building/embed-clients.ts';
import { Key } from './keys.ts';

export const MemberRole = oneOf(roles);

export const Member = z
  .object({ id: Uuid, email: Email, name: Name.nullable(), role: MemberRole, created_at: Timestamp })
  .meta({ id: 'Member', description: 'A person who works in the organization' });

export const people = { tag: 'Account', credential: 'session' } as const;
export const managers = ['owner', 'admin'] as const;

export const listMembers = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/members',
  summary: "List the organization's members, newest first",
  permission: 'read',
  rpc: 'accounts.ListMembers',
  output: z.object({ members: z.array(Member), total: Total }),
  success: 200,
  errors: [],
});

export const changeMember = defineOperation({
  ...people,
  method: 'PATCH',
  path: '/account/members/{memberId}',
  summary: 'Give a member another role, within a second; only owners make and unmake owners, and one stays',
  permission: 'write',
  roles: managers,
  rpc: 'accounts.ChangeMember',
  input: z.strictObject({ role: MemberRole }).partial(),
  output: z.object({ member: Member }),
  success: 200,
  etag: false,
  errors: ['member_not_found', 'last_owner'],
});

export const removeMember = defineOperation({
  ...people,
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
  output: z.object({ deleted: z.boolean(), id: Uuid, keys: z.array(Key), embed_clients: z.array(EmbedClient) }),
  success: 200,
  etag: false,
  errors: ['member_not_found', 'last_owner', 'validation_failed'],
});
