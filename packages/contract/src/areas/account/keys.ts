import * as z from 'zod';
import { GraceHours, Moment, Name, Network, oneOf, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { roles } from '../../http/roles.ts';

const maxNetworks = 20;
const maxRateLimit = 1_000_000;
const Permissions = z
  .array(oneOf(['read', 'write']), { error: 'must be a list of permissions' })
  .min(1, 'must name at least one permission')
  .max(2);
const AllowedNetworks = z
  .array(Network, { error: 'must be a list of networks' })
  .max(maxNetworks, `must have at most ${maxNetworks} networks`)
  .describe('The addresses and networks (CIDR) that the key may be used from; none: everywhere');
const RateLimit = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(maxRateLimit, `must be at most ${maxRateLimit}`)
  .nullable()
  .describe("Requests per window of this key, where that is less than its organization's; null: the organization's");

export const Key = z
  .object({
    id: Uuid,
    prefix: z.string().describe('Its first 8 characters'),
    name: Name,
    permissions: z.array(oneOf(['read', 'write'])),
    created_by: Uuid.nullable().describe('The member who made it; null for an operator of the platform'),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    replaced_by: Uuid.nullable().describe('The key that a rotation made'),
    creator_role: oneOf(roles).nullable().describe('The role that bounds it: its creator had it at that time; null for an operator'),
    rotated_by: Uuid.nullable().describe('The member whose rotation made it and who was shown its text'),
    allowed_networks: AllowedNetworks,
    rate_limit: RateLimit,
  })
  .meta({ id: 'Key', description: 'An API key; never its text' });

const Secret = z.string().describe('The key itself. It is shown only here: keep it');
const people = { tag: 'Account', credential: 'session' } as const;
const makers = ['owner', 'admin', 'developer'] as const;

export const listKeys = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/keys',
  summary: "List the organization's API keys, newest first",
  permission: 'read',
  roles: makers,
  rpc: 'accounts.ListKeys',
  output: z.object({ keys: z.array(Key), total: Total }),
  success: 200,
  errors: [],
});

export const createKey = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/keys',
  summary: 'Make an API key, which may no more than who makes it; the answer shows it, once',
  permission: 'write',
  roles: makers,
  rpc: 'accounts.CreateKey',
  showsSecret: true,
  input: z.strictObject({
    name: Name,
    permissions: Permissions,
    expires_at: Moment.nullish(),
    allowed_networks: AllowedNetworks.optional(),
    rate_limit: RateLimit.optional(),
  }),
  output: z.object({ key: Key, secret: Secret }),
  success: 201,
  etag: false,
  errors: [],
});

export const updateKey = defineOperation({
  ...people,
  method: 'PATCH',
  path: '/account/keys/{keyId}',
  summary: 'Change the fields that the body names, within a second. Requires a role that may do all that the key may',
  description:
    'Requests from other networks than `allowed_networks` are refused with 403 `address_not_allowed`. A key that a rotation makes has the same fields.',
  permission: 'write',
  roles: makers,
  rpc: 'accounts.UpdateKey',
  input: z.strictObject({ name: Name, permissions: Permissions, allowed_networks: AllowedNetworks, rate_limit: RateLimit }).partial(),
  output: z.object({ key: Key }),
  success: 200,
  etag: false,
  errors: ['key_not_found'],
});

export const rotateKey = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/keys/{keyId}/rotate',
  summary: 'Replace a key by a new one; the old one works for the hours of grace. Requires a role that may do all that the key may',
  permission: 'write',
  roles: makers,
  rpc: 'accounts.RotateKey',
  showsSecret: true,
  input: z.strictObject({ grace_hours: GraceHours.default(0) }),
  output: z.object({ key: Key, secret: Secret }),
  success: 201,
  etag: false,
  errors: ['key_not_found'],
});

export const revokeKey = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/keys/{keyId}',
  summary: 'Revoke a key, within a second. Requires a role that may do all that the key may',
  permission: 'write',
  roles: makers,
  rpc: 'accounts.RevokeKey',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  etag: false,
  errors: ['key_not_found'],
});
