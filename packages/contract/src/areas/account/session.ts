import * as z from 'zod';
import { Email, Language, Name, oneOf, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { sessionRoles } from '../../http/roles.ts';
import { Organization } from './organization.ts';

export const Account = z
  .object({
    id: Uuid,
    email: Email,
    name: Name.nullable(),
    email_verified: z.boolean(),
    two_factor: z.boolean(),
    language: Language.nullable().describe('Of pages and mails; null where none was chosen'),
  })
  .meta({ id: 'Account', description: "A person's sign-in" });
export type Account = z.infer<typeof Account>;

export const Session = z
  .object({
    id: Uuid,
    current: z.boolean().describe('Whether it is the one that asks'),
    user_agent: z.string(),
    ip_prefix: z.string().describe('The network it began in'),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'Session', description: 'A browser that is signed in' });

export const Place = z
  .object({ id: Uuid, name: Name, role: oneOf(sessionRoles) })
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
    account: Account.nullable(),
    organization: Organization.nullable(),
    role: oneOf(sessionRoles).nullable(),
    organizations: z.array(Place),
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
  permission: 'write',
  rpc: 'accounts.SwitchOrganization',
  input: z.strictObject({ organization_id: Uuid }),
  output: z.object({ organization: Organization, role: oneOf(sessionRoles) }),
  success: 200,
  etag: false,
  errors: ['organization_not_found'],
});

export const openOrganization = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/organizations',
  summary: 'Open an organization, for who belongs to none yet; the session goes on in it',
  permission: 'write',
  rpc: 'accounts.OpenOrganization',
  input: z.strictObject({ name: Name }),
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
  permission: 'write',
  rpc: 'accounts.UpdateAccount',
  input: z.strictObject({ language: Language.nullable() }).partial(),
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
  permission: 'read',
  rpc: 'accounts.ListSessions',
  output: z.object({ sessions: z.array(Session), total: Total }),
  success: 200,
  errors: [],
});

export const endSession = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/sessions/{sessionId}',
  summary: 'Sign one of them out, within a second',
  permission: 'write',
  rpc: 'accounts.EndSession',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  etag: false,
  errors: ['session_not_found'],
});
