import * as z from 'zod';
import { CreatedAt, Deleted, Email, Language, Name, RecordId, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { Role } from './members.ts';
import { Organization } from './organization.ts';

export const Account = z
  .object({
    id: RecordId.describe('Names the account in all its organizations'),
    email: Email.describe('What the person signs in with, and where its mails go'),
    name: Name.nullable().describe('As the person calls itself; null if it has given no name'),
    email_verified: z.boolean().describe('True once the person has followed a link that was sent there'),
    two_factor: z.boolean().describe('True if signing in takes a second factor'),
    language: Language.nullable().describe('Of pages and mails; null where none was chosen'),
  })
  .meta({ id: 'Account', description: "A person's sign-in" });
export type Account = z.infer<typeof Account>;

export const Session = z
  .object({
    id: RecordId,
    current: z.boolean().describe('Whether it is the one that asks'),
    user_agent: z.string().describe('What the browser calls itself, at most 300 characters; empty if it said nothing'),
    ip_prefix: z.string().describe('The network it began in: an IPv4 /24 or an IPv6 /64'),
    created_at: CreatedAt,
    expires_at: Timestamp.describe('When it ends without being used, ISO 8601 in UTC'),
  })
  .meta({ id: 'Session', description: 'A browser that is signed in' });

export const Place = z
  .object({ id: RecordId.describe('The organization'), name: Name.describe('The name of the organization'), role: Role })
  .meta({ id: 'Place', description: 'An organization that a person belongs to, and as what' });

const people = { tag: 'Account', credential: 'session', roles: 'anyone' } as const;

export const getSession = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/session',
  summary: 'Who is signed in, in which organization, and in which others they may work',
  description: 'Without any credential nobody is signed in, and `account` is null.',
  permission: 'read',
  rpc: 'accounts.GetSession',
  output: z.object({
    account: Account.nullable().describe('The person who is signed in; null if nobody is'),
    organization: Organization.nullable().describe('The organization that the session is in; null if the person belongs to none'),
    role: Role.nullable().describe('What the person is there; null if it belongs to no organization'),
    organizations: z.array(Place).describe('All organizations that the person belongs to'),
    second_factor_required: z
      .boolean()
      .describe('True while the organization requires a second factor that the account does not have: set it up before anything else'),
  }),
  success: 200,
  etag: false,
  errors: [],
});

export const switchOrganization = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/session/organization',
  summary: 'Go on in another organization',
  description: 'The same cookie goes on. Keys and other sessions are not touched.',
  permission: 'write',
  rpc: 'accounts.SwitchOrganization',
  input: z.strictObject({ organization_id: Uuid.describe('One of the `organizations` of GET /account/session') }),
  output: z.object({ organization: Organization, role: Role }),
  success: 200,
  etag: false,
  errors: ['organization_not_found'],
});

export const openOrganization = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/organizations',
  summary: 'Open an organization, for who belongs to none yet; the session goes on in it',
  description: 'The person becomes its owner. One that belongs to an organization already is refused with 409 `organization_exists`.',
  permission: 'write',
  rpc: 'accounts.OpenOrganization',
  input: z.strictObject({ name: Name.describe('As clients will see it on pages, in mails and on invoices') }),
  output: z.object({ organization: Organization }),
  success: 201,
  etag: false,
  errors: ['organization_exists'],
});

export const updateAccount = defineOperation({
  ...people,
  method: 'PATCH',
  path: '/account/profile',
  summary: 'Change the fields of your account that the body names; null clears a nullable one',
  description: 'Address and password are changed in the dashboard, which asks for the password first.',
  permission: 'write',
  rpc: 'accounts.UpdateAccount',
  input: z.strictObject({ language: Language.nullable().describe('Of pages and mails; null: that of the browser') }).partial(),
  output: z.object({ account: Account }),
  success: 200,
  etag: false,
  errors: [],
});

export const listSessions = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/sessions',
  summary: 'The browsers in which this account is signed in, newest first',
  description: 'The one that asks is marked `current`.',
  permission: 'read',
  rpc: 'accounts.ListSessions',
  output: z.object({ sessions: z.array(Session).describe('The sessions, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const endSession = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/sessions/{sessionId}',
  summary: 'Sign one of them out, within a second',
  description: 'Use it for a browser that is not yours, or was lost. Ending the current one signs you out.',
  permission: 'write',
  rpc: 'accounts.EndSession',
  output: Deleted,
  success: 200,
  etag: false,
  errors: ['session_not_found'],
});
