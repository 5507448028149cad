import * as z from 'zod';
import { CreatedAt, Deleted, oneOf, RecordId, Timestamp, Total, text } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';

const DnsRecord = z
  .object({
    type: oneOf(['TXT', 'CNAME', 'A', 'AAAA']).meta({
      id: 'DnsRecordType',
      description: 'The type of the record; TXT proves that the domain is yours',
    }),
    name: z.string().describe('Where to add the record, as a full name'),
    value: z.string().describe('What the record is to be; of several addresses, any one'),
    observed: z.array(z.string()).describe('What was found at the last check'),
    ok: z.boolean().describe('True if the last check found it right'),
  })
  .meta({ id: 'DnsRecord', description: 'A record that the owner of a domain adds at its DNS provider' });

const DomainStatus = oneOf(['pending', 'verifying', 'active', 'failed']).meta({
  id: 'DomainStatus',
  description:
    '`pending`: no record is right yet; `verifying`: some are; `active`: the site is live there, as long as its TXT record is; `failed`: not all were right within 7 days',
});
const CertificateStatus = oneOf(['pending', 'active']).meta({
  id: 'CertificateStatus',
  description: '`active`: the certificate is made at the first visit',
});

export const SiteDomain = z
  .object({
    id: RecordId,
    name: z.string().describe('In ASCII: other characters as punycode'),
    type: oneOf(['subdomain', 'custom']).meta({
      id: 'DomainType',
      description: '`subdomain`: below a domain of this platform; `custom`: a domain of its own',
    }),
    status: DomainStatus,
    ssl_status: CertificateStatus,
    is_primary: z.boolean().describe('Whether it is the address to show'),
    dns_records: z.array(DnsRecord).describe('What its owner adds at the DNS provider; empty for a subdomain'),
    error: z.string().nullable().describe('What to do next, in a sentence; null if there is nothing to do'),
    last_checked_at: Timestamp.nullable().describe('When its records were looked for last, ISO 8601 in UTC; null if they were not yet'),
    created_at: CreatedAt,
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
  description: 'The subdomain is there once the site is published. A custom domain is listed from the moment that it is added.',
  permission: 'read',
  ...access,
  roles: clientsToo.read,
  rpc: 'projects.ListDomains',
  output: z.object({
    domains: z.array(SiteDomain).describe('The addresses; empty for a site that is neither published nor has a domain of its own'),
    total: Total,
  }),
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
    domain: text(maxNameLength)
      .optional()
      .describe('A domain of its own, as in www.example.com; other characters than ASCII are stored as punycode'),
    subdomain: text(63).optional().describe('The name below the domain of this platform: 3 to 63 letters, digits and hyphens'),
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
  description: 'They are looked for by themselves too: use it to see at once what is still missing, in `dns_records` and `error`.',
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
  description: 'The site stays at its other addresses. Records at the DNS provider are yours to remove.',
  permission: 'write',
  ...access,
  rpc: 'projects.DeleteDomain',
  output: Deleted,
  success: 200,
  etag: false,
  errors: ['person_required', 'domain_not_found'],
});
