import * as z from 'zod';
import { Name, RecordId } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { largeCount } from '../../wire/wire.ts';
import { Key } from './keys.ts';
import { MemberRole } from './members.ts';

const AccountOrganization = z
  .object({
    id: RecordId.describe('The `org_id` of its records and events'),
    name: Name.describe('The name of the organization'),
    slug: z.string().describe('A short name in ASCII, by which operators of the platform call it'),
  })
  .meta({ id: 'AccountOrganization', description: 'The organization that a credential belongs to' });

export const Limit = z
  .object({
    name: z.string().describe('As a refusal with `quota_exceeded` names it: `projects`'),
    unit: z.string().describe('What is counted, in words that follow the number: `projects`, `requests a minute`'),
    limit: largeCount().describe('The most that the organization may have or do, in `unit`'),
    used: largeCount()
      .nullable()
      .describe(
        'Null for `events` and `requests`, of which only the last minute counts, and while the part of the platform that counts does not answer',
      ),
  })
  .meta({ id: 'Limit', description: 'How much of something an organization may have or do, and how much it has or did' });
export type Limit = z.infer<typeof Limit>;

export const getAccount = defineOperation({
  method: 'GET',
  path: '/account',
  tag: 'Organization',
  summary: 'Who and what the credential is: its organization, key, role and limits',
  description:
    'Any API key may ask, whatever its permissions: to check a key before it is put to use, see which platform it is for, and warn before it expires.',
  permission: 'read',
  credential: 'anyKey',
  rpc: 'accounts.GetAccount',
  output: z.object({
    organization: AccountOrganization,
    key: Key.nullable().describe('The key that asks; null in a session'),
    role: MemberRole.nullable().describe(
      "The member's role, or the one that bounds the key; null for a key that an operator of the platform made, which has every role",
    ),
    platform_url: z.string().describe('The address of the platform that answers, which tells production from what is for trying out'),
    limits: z
      .array(Limit)
      .describe("The organization's limits, as GET /account/limits lists them; empty for a key of one client or project"),
  }),
  success: 200,
  etag: false,
  errors: [],
});

export const getLimits = defineOperation({
  method: 'GET',
  path: '/account/limits',
  tag: 'Organization',
  summary: "Read the organization's limits, and how much of each is used",
  description:
    'What goes beyond a limit is refused with 403 `quota_exceeded`, and beyond `requests` with 429. The operator of the platform can change the limits.',
  permission: 'read',
  area: 'usage',
  rpc: 'accounts.GetLimits',
  output: z.object({ limits: z.array(Limit).describe('One row for each limit, always in the same order') }),
  success: 200,
  etag: false,
  errors: [],
});
