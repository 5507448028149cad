import * as z from 'zod';
import { Name, RecordId } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { Key } from './keys.ts';
import { Limit } from './limits.ts';
import { MemberRole } from './members.ts';

const AccountOrganization = z
  .object({
    id: RecordId.describe('The `org_id` of its records and events'),
    name: Name.describe('The name of the organization'),
    slug: z.string().describe('A short name in ASCII, by which operators of the platform call it'),
  })
  .meta({ id: 'AccountOrganization', description: 'The organization that a credential belongs to' });

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
      .describe("The organization's limits, as GET /account/limits lists them; empty for a key that is restricted to a client"),
  }),
  success: 200,
  etag: false,
  errors: [],
});
