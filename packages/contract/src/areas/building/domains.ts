import * as z from 'zod';
import { oneOf, Timestamp, Total, text, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';

const DnsRecord = z
  .object({
    type: oneOf(['TXT', 'CNAME', 'A', 'AAAA']),
    name: z.string(),
    value: z.string().describe('What the record is to be; of several addresses, any one'),
    observed: z.array(z.string()).describe('What was found at the last check'),
    ok: z.boolean(),
  })
  .meta({ id: 'DnsRecord', description: 'A record that the owner of a domain adds at its DNS provider' });

export const SiteDomain = z
  .object({
    id: Uuid,
    name: z.string().describe('In ASCII: other characters as punycode'),
    type: oneOf(['subdomain', 'custom']),
    status: oneOf(['pending', 'verifying', 'active', 'failed']).describe(
      'pending: no record is right yet; verifying: some are; active: the site is live there, as long as its TXT record is; failed: not all were right within 7 days',
    ),
    ssl_status: oneOf(['pending', 'active']).describe('active: the certificate is made at the first visit'),
    is_primary: z.boolean().describe('Whether it is the address to show'),
    dns_records: z.array(DnsRecord),
    error: z.string().nullable().describe('What to do next'),
    last_checked_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'SiteDomain', description: 'An address of a published site' });
export type SiteDomain = z.infer<typeof SiteDomain>;

const tag = 'Domains';
const access = { roles: clientsToo.write, credential: 'person', embed: true } as const;
const maxNameLength = 253;

export const listDomains = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/domains',
  tag,
  summary: "List a site's addresses: its own subdomain and its custom domains",
  permission: 'read',
  ...access,
  roles: clientsToo.read,
  rpc: 'projects.ListDomains',
  output: z.object({ domains: z.array(SiteDomain), total: Total }),
  success: 200,
  errors: ['project_not_found', 'person_required'],
});

export const addDomain = defineOperation({
  method: 'POST',
  path: '/projects/{projectId}/domains',
  tag,
  summary: 'Add a custom domain, or change the subdomain',
  description:
    'Exactly one of both. A custom domain becomes active by itself once its `dns_records` are found; they are looked for every minute at first, later every hour, for 7 days. The TXT record must stay: it is looked for daily, and a site without it for 3 days is not live there any more. Others may claim the name, too: one whose records are found has it once the TXT record of the one before is gone. A published site may change its subdomain 10 times a day. For 90 days the old one is held for the organization and redirects to the new one.',
  permission: 'write',
  ...access,
  rpc: 'projects.AddDomain',
  input: z.strictObject({
    domain: text(maxNameLength).optional().describe('As in www.example.com'),
    subdomain: text(63).optional().describe('3 to 63 letters, digits and hyphens'),
  }),
  output: z.object({ domain: SiteDomain }),
  success: 201,
  etag: false,
  errors: [
    'project_not_found',
    'person_required',
    'custom_domain_not_allowed',
    'quota_exceeded',
    'subdomain_taken',
    'domain_taken',
    'too_many_renames',
    'site_not_published',
  ],
});

export const verifyDomain = defineOperation({
  method: 'POST',
  path: '/projects/{projectId}/domains/{domainId}/verify',
  tag,
  summary: 'Look for the records of a custom domain now',
  permission: 'write',
  ...access,
  rpc: 'projects.VerifyDomain',
  input: z.strictObject({}),
  output: z.object({ domain: SiteDomain }),
  success: 200,
  etag: false,
  errors: ['person_required', 'domain_not_found'],
});

export const deleteDomain = defineOperation({
  method: 'DELETE',
  path: '/projects/{projectId}/domains/{domainId}',
  tag,
  summary: 'Remove a custom domain; the site is not there any more',
  permission: 'write',
  ...access,
  rpc: 'projects.DeleteDomain',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  etag: false,
  errors: ['person_required', 'domain_not_found'],
});
