import { type HttpAddressSetting, httpAddressSetting, httpServiceNames } from '@webkiln/messages';
import { addressesOf } from '@webkiln/rpc';
import { Address, baseConfig, eventsConfig, originConfig, Port, rpcClientConfig, secret } from '@webkiln/runtime';
import { quotaConfig } from '@webkiln/standing/settings';
import * as z from 'zod';
import { inFlightConfig } from './in-flight/config.ts';
import { areNetworks } from './proxy/client-address.ts';

/** HTTP addresses of the services that the gateway proxies to. */
const httpAddresses = Object.fromEntries(
  httpServiceNames.map((name) => [httpAddressSetting(name), Address.describe(`The HTTP address of ${name}`)]),
) as Record<HttpAddressSetting, typeof Address>;

/** The gateway's settings, read from the environment once at start. */
export const GatewayConfig = z.object({
  ...baseConfig,
  ...eventsConfig,
  ...rpcClientConfig,
  ...addressesOf('gateway'),
  ...httpAddresses,
  DASHBOARD_DIR: z.string().min(1).describe('The folder of the built dashboard'),
  PORT: Port.default(8080),
  ...originConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' }).meta(secret),
  REDIS_TIMEOUT_MS: z.coerce.number().int().min(10).default(500).describe('How long a call to Redis may take'),
  RATE_LIMIT: z.coerce.number().int().min(1).default(100).describe('Requests per window and credential'),
  SESSION_RATE_LIMIT: z.coerce.number().int().min(1).default(600).describe('Requests per window and session'),
  RATE_WINDOW_MS: z.coerce.number().int().min(1000).default(60_000),
  ...inFlightConfig,
  ...quotaConfig(['requests']),
  REQUEST_TIMEOUT_MS: z.coerce.number().int().min(100).default(10_000),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .refine(areNetworks, { error: 'must list IP addresses or CIDRs with commas between, as in 10.0.0.0/8,192.0.2.7' })
    .describe('Comma-separated addresses or CIDRs of the proxies whose X-Forwarded-For header is trusted'),
  DEPRECATED_AT: z.iso.datetime().optional().describe('The time from which API version 1 is deprecated (RFC 9745)'),
  SUNSET_AT: z.iso.datetime().optional().describe('The time at which API version 1 will stop responding (RFC 8594)'),
});

export type GatewayConfig = z.output<typeof GatewayConfig>;
