import * as z from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { HttpUrl, Name, Timestamp, Uuid } from './fields.ts';

const Color = z.string({ error: 'must be a string' }).regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #1a2b3c');

export const Organization = z
  .object({
    id: Uuid,
    name: Name,
    slug: z.string(),
    currency: z.string().describe('ISO 4217'),
    logo_url: HttpUrl.nullable(),
    accent_color: Color.nullable(),
    mail_sender_name: Name.nullable().describe('Whom mails to clients come from, by name; the organization itself where it is null'),
    created_at: Timestamp,
  })
  .meta({ id: 'Organization', description: 'An agency, and how its clients see it' });

const people = { tag: 'Account', credential: 'session' } as const;

export const getOrganization = defineEndpoint({
  ...people,
  method: 'GET',
  path: '/account/organization',
  summary: 'The organization that the session is in',
  permission: 'read',
  rpc: 'accounts.GetOrganization',
  output: z.object({ organization: Organization }),
  success: 200,
  errors: [],
});

export const updateOrganization = defineEndpoint({
  ...people,
  roles: ['owner', 'admin'],
  method: 'PATCH',
  path: '/account/organization',
  summary: 'Change the fields that the body names; null clears a nullable one',
  permission: 'write',
  rpc: 'accounts.UpdateOrganization',
  input: z
    .strictObject({ name: Name, logo_url: HttpUrl.nullable(), accent_color: Color.nullable(), mail_sender_name: Name.nullable() })
    .partial(),
  output: z.object({ organization: Organization }),
  success: 200,
  errors: [],
});
