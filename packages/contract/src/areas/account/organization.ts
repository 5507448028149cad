import * as z from 'zod';
import { AccentColor, CreatedAt, Email, Flag, Language, Name, RecordId } from '../../fields/fields.ts';
import { Logo } from '../../fields/logo.ts';
import { defineOperation } from '../../http/operation.ts';

export const Organization = z
  .object({
    id: RecordId,
    name: Name.describe('As clients see it on pages, in mails and on invoices; 1 to 200 characters'),
    slug: z.string().describe('A short name in ASCII, by which operators of the platform call it; it never changes by itself'),
    currency: z.string().describe('ISO 4217, such as EUR: what prices of plans are in. It is set in the payment settings'),
    logo_url: z.string().nullable().describe("Where the logo is, relative to the platform's own address; another one has another"),
    accent_color: AccentColor.nullable().describe(
      'The color of buttons and links on pages that clients see, as #rrggbb; null: that of the platform',
    ),
    mail_sender_name: Name.nullable().describe('Whom mails to clients come from, by name; the organization itself where it is null'),
    contact_email: Email.nullable().describe('Where clients reach the agency: their pages show it, and replies to mails to them go there'),
    client_tools: z
      .boolean()
      .describe('Whether signed-in clients may list and roll back deploys and archive their projects, as members may'),
    require_second_factor: z
      .boolean()
      .describe('Whether members need a second factor: one without is asked to set it up before anything else. Keys and agents go on'),
    client_reports: z.boolean().describe('Whether clients get a monthly report of their sites by mail, unless they end it'),
    language: Language.nullable().describe('Of mails to people whose own language is not known; English where it is null'),
    created_at: CreatedAt,
  })
  .meta({ id: 'Organization', description: 'An agency, and how its clients see it' });

const managing = { tag: 'Organization', area: 'organization' } as const;

export const getOrganization = defineOperation({
  ...managing,
  method: 'GET',
  path: '/account/organization',
  summary: 'The organization of the key, or that the session is in',
  description: 'An API key belongs to one organization; a session is in one at a time.',
  permission: 'read',
  rpc: 'accounts.GetOrganization',
  output: z.object({ organization: Organization }),
  success: 200,
  errors: [],
});

export const updateOrganization = defineOperation({
  ...managing,
  roles: ['owner', 'admin'],
  method: 'PATCH',
  path: '/account/organization',
  summary: 'Change the fields that the body names; null clears a nullable one',
  description: 'Only an owner in its session changes `require_second_factor`, and needs a second factor of its own to switch it on.',
  permission: 'write',
  rpc: 'accounts.UpdateOrganization',
  input: z
    .strictObject({
      name: Name.describe('As clients see it on pages, in mails and on invoices'),
      logo: Logo.nullable().describe('A PNG, JPEG or WebP picture of at most 256 KB, as base64; null takes the logo away'),
      accent_color: AccentColor.nullable().describe(
        'The color of buttons and links on pages that clients see, as #rrggbb; null: that of the platform',
      ),
      mail_sender_name: Name.nullable().describe('Whom mails to clients come from, by name; null: the name of the organization'),
      contact_email: Email.nullable().describe(
        'Where clients reach the agency: their pages show it, and replies to mails go there; null: nowhere',
      ),
      client_tools: Flag.describe('True: signed-in clients may list and roll back deploys and archive their projects'),
      require_second_factor: Flag.describe('True: members need a second factor before anything else'),
      client_reports: Flag.describe('True: clients get a monthly report of their sites by mail'),
      language: Language.nullable().describe('Of mails to people whose own language is not known; null: English'),
    })
    .partial(),
  output: z.object({ organization: Organization }),
  success: 200,
  errors: [],
});
