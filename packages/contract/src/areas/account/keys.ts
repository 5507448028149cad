import * as z from 'zod';
import { CreatedAt, Deleted, GraceHours, Moment, Name, Network, oneOf, RecordId, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation, permissions } from '../../http/operation.ts';
import { roles } from '../../http/roles.ts';

const maxNetworks = 20;
const maxRateLimit = 1_000_000;
const Permission = oneOf(permissions).meta({
  id: 'Permission',
  description:
    '`read`: every GET of records; `write`: everything else of them. The others manage what stands under `/account`: `keys`; `members`, with invitations and who knows which secret; `audit`, the audit log; `usage`, with limits, credits and logged requests; `organization`, with its settings, payments, models and agents; `embedding`, with embed clients, their sessions and build links',
});
const Permissions = z
  .array(Permission, { error: 'must be a list of permissions' })
  .min(1, 'must name at least one permission')
  .max(permissions.length)
  .describe('What the key may do, each counting for itself: `read` and `write` for records, the others for what they manage');
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

const ClientId = Uuid.nullable().describe(
  'The client to whose websites it is restricted: it may do what this client may in its portal, and nothing else; null: it is not',
);

const ProjectId = Uuid.nullable().describe(
  'The project that it is limited to: it may read and change this one, within its permissions, and finds no other; null: it is not',
);

/** As `MemberRole`, which depends on keys. */
const CreatorRole = oneOf(roles).meta({ id: 'CreatorRole', description: 'A role of members: a key may do no more than it' });

export const Key = z
  .object({
    id: RecordId,
    prefix: z.string().describe('The first 8 characters of its text, to tell keys apart'),
    name: Name.describe('What it is for, as its maker called it; 1 to 200 characters'),
    permissions: z.array(Permission).describe('What it may do within its `creator_role`'),
    created_by: Uuid.nullable().describe('The member who made it; null for an operator of the platform'),
    created_at: CreatedAt,
    last_used_at: Timestamp.nullable().describe('When it was used last, ISO 8601 in UTC; null if it never was'),
    expires_at: Timestamp.nullable().describe('When it stops working, ISO 8601 in UTC; null: never'),
    revoked_at: Timestamp.nullable().describe('When it was revoked, ISO 8601 in UTC; null if it was not'),
    replaced_by: Uuid.nullable().describe('The key that a rotation put in its place; null if it was not rotated'),
    creator_role: CreatorRole.nullable().describe(
      'The role that bounds it: its creator had it at that time; null for a key that an operator of the platform made',
    ),
    rotated_by: Uuid.nullable().describe('The member whose rotation made it and who was shown its text; null if no rotation did'),
    allowed_networks: AllowedNetworks,
    rate_limit: RateLimit,
    client_id: ClientId,
    project_id: ProjectId,
  })
  .meta({ id: 'Key', description: 'An API key; never its text' });

const Secret = z.string().describe('The key itself. It is shown only here: keep it');
const managing = { tag: 'Organization', area: 'keys' } as const;
const makers = ['owner', 'admin', 'developer'] as const;

export const listKeys = defineOperation({
  ...managing,
  method: 'GET',
  path: '/account/keys',
  summary: "List the organization's API keys, newest first",
  description: 'Also those that were revoked, replaced or have expired. The text of a key is shown once, when it is made.',
  permission: 'read',
  roles: makers,
  rpc: 'accounts.ListKeys',
  output: z.object({ keys: z.array(Key).describe('The keys, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const createKey = defineOperation({
  ...managing,
  method: 'POST',
  path: '/account/keys',
  summary: 'Make an API key, which may no more than who makes it; the answer shows it, once',
  description:
    'The key belongs to the organization and goes on when its maker leaves. Keep its text where you keep passwords; whoever has it may do what it may. A key makes no key that may more than itself: in what it may do, where from, how often or how long.',
  permission: 'write',
  roles: makers,
  rpc: 'accounts.CreateKey',
  showsSecret: true,
  input: z.strictObject({
    name: Name.describe('What it is for, to know it again in lists'),
    permissions: Permissions,
    expires_at: Moment.nullish().describe('When it stops working, ISO 8601 with a time zone, in the future; left out or null: never'),
    allowed_networks: AllowedNetworks.optional(),
    rate_limit: RateLimit.optional(),
    client_id: Uuid.nullish().describe(
      'A client to whose websites the key is restricted, for good. Only `read` and `write` go with it; left out or null: it is not restricted',
    ),
    project_id: Uuid.nullish().describe(
      'A project that the key is limited to, for good, in place of `client_id`. Only `read` and `write` go with it; left out or null: it is not limited',
    ),
  }),
  output: z.object({ key: Key, secret: Secret }),
  success: 201,
  etag: false,
  errors: ['client_not_found', 'project_not_found'],
});

export const updateKey = defineOperation({
  ...managing,
  method: 'PATCH',
  path: '/account/keys/{keyId}',
  summary: 'Change the fields that the body names, within a second. Requires a role that may do all that the key may',
  description:
    'Requests from other networks than `allowed_networks` are refused with 403 `address_not_allowed`. A key that a rotation makes has the same fields.',
  permission: 'write',
  roles: makers,
  rpc: 'accounts.UpdateKey',
  input: z
    .strictObject({
      name: Name.describe('What it is for, to know it again in lists'),
      permissions: Permissions,
      allowed_networks: AllowedNetworks,
      rate_limit: RateLimit,
    })
    .partial(),
  output: z.object({ key: Key }),
  success: 200,
  etag: false,
  errors: ['key_not_found'],
});

export const rotateKey = defineOperation({
  ...managing,
  method: 'POST',
  path: '/account/keys/{keyId}/rotate',
  summary: 'Replace a key by a new one; the old one works for the hours of grace. Requires a role that may do all that the key may',
  description:
    'The new key has the name, permissions, networks, limit and expiry of the old one. Put it to use within the hours of grace: a key that rotates itself needs at least one, so that a lost answer can be asked for again.',
  permission: 'write',
  roles: makers,
  rpc: 'accounts.RotateKey',
  showsSecret: true,
  input: z.strictObject({
    grace_hours: GraceHours.default(0).describe('How many hours the old key goes on working, 0 to 24; 0 by default: it stops at once'),
  }),
  output: z.object({ key: Key, secret: Secret }),
  success: 201,
  etag: false,
  errors: ['key_not_found'],
});

export const revokeKey = defineOperation({
  ...managing,
  method: 'DELETE',
  path: '/account/keys/{keyId}',
  summary: 'Revoke a key, within a second. Requires a role that may do all that the key may',
  description: 'It cannot be brought back: make another one.',
  permission: 'write',
  roles: makers,
  rpc: 'accounts.RevokeKey',
  output: Deleted,
  success: 200,
  etag: false,
  errors: ['key_not_found'],
});
