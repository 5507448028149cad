import { isIP } from 'node:net';
import { quotaConfig } from '@webkiln/org-policy/settings';
import { outboundConfig } from '@webkiln/outbound';
import { addressesOf } from '@webkiln/rpc';
import { dataServiceConfig, originConfig, rpcClientConfig, secret, TextSecrets } from '@webkiln/runtime';
import * as z from 'zod';

const minuteMs = 60_000;

/** The settings of projects-templates, read from the environment once at start. */
export const ProjectsTemplatesConfig = z.object({
  ...dataServiceConfig,
  ...rpcClientConfig,
  ...addressesOf('projects-templates'),
  ...quotaConfig(['events', 'projects', 'stored_bytes', 'domains']),
  OUTBOUND_DNS_SERVERS: outboundConfig.OUTBOUND_DNS_SERVERS,
  SITES_CNAME: z
    .hostname({ error: 'must be a host name, as in sites.example.com' })
    .optional()
    .describe('The name that custom domains point to by CNAME; by default the host of SITES_ORIGIN'),
  SITES_ADDRESSES: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((entry) => entry !== ''))
    .refine((entries) => entries.every((entry) => isIP(entry) !== 0), { error: 'must list IP addresses, as in 192.0.2.1,2001:db8::1' })
    .describe('The addresses of the proxy, for custom domains that can have no CNAME; without them such domains are refused'),
  ORIGIN: originConfig.ORIGIN,
  SITES_ORIGIN: originConfig.SITES_ORIGIN,
  PREVIEW_ORIGIN: originConfig.PREVIEW_ORIGIN,
  PREVIEW_SECRET: TextSecrets.describe('The first derives the addresses of new previews; existing ones work until they expire').meta(
    secret,
  ),
  BLOB_GRACE_MS: z.coerce
    .number({ error: 'must be a number of milliseconds' })
    .int({ error: 'must be a whole number of milliseconds' })
    .min(2 * minuteMs, { error: 'must be at least 120000: far longer than any call may take' })
    .default(10 * minuteMs)
    .describe('How long unreferenced files are kept, in milliseconds'),
});
export type ProjectsTemplatesConfig = z.output<typeof ProjectsTemplatesConfig>;
