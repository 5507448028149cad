import { tmpdir } from 'node:os';
import { areNetworks, isReadByOthers } from '@webkiln/http';
import { type HttpAddressSetting, httpAddressSetting, httpServiceNames } from '@webkiln/messages';
import { quotaConfig } from '@webkiln/org-policy/settings';
import { addressesOf } from '@webkiln/rpc';
import { Address, atLeast, baseConfig, eventsConfig, originConfig, Port, rpcClientConfig, secret, wholeNumber } from '@webkiln/runtime';
import { getDomain } from 'tldts';
import * as z from 'zod';

/** HTTP addresses of the services that the gateway proxies to. */
const httpAddresses = Object.fromEntries(
  httpServiceNames.map((name) => [httpAddressSetting(name), Address.describe(`The HTTP address of ${name}`)]),
) as Record<HttpAddressSetting, typeof Address>;

const mb = 1_048_576;

const hostName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Settings of what is in flight: each caller and network can use up its own share, never another's. */
const inFlightConfig = {
  CREDENTIAL_CONCURRENCY: wholeNumber(1, 100_000)
    .default(16)
    .describe(
      "Requests of one credential at once (API, agents, embed sessions), and agents' messages without one of one client network; more wait",
    ),
  CREDENTIAL_STREAMS: wholeNumber(1, 100_000).default(32).describe('Open streams of turns of one credential at once'),
  NETWORK_CONCURRENCY: wholeNumber(1, 100_000)
    .default(64)
    .describe('Proxied requests of one client network at once, for each service; more wait'),
  PROXY_CONNECTIONS: wholeNumber(1, 10_000).default(256).describe('Connections to each replica of a proxied service'),
  QUEUE_TIMEOUT_MS: wholeNumber(1, 60_000).default(5000).describe('How long a request may wait for its turn, before 429 or 503'),
  CREDENTIAL_UNSENT_MB: wholeNumber(1, 10_000)
    .default(25)
    .transform((size) => size * mb)
    .describe('Megabytes of API responses that one credential has not read yet'),
  NETWORK_UNSENT_MB: wholeNumber(1, 10_000)
    .default(100)
    .transform((size) => size * mb)
    .describe('The same for one client network'),
  CONNECTIONS_MAX: wholeNumber(1, 1_000_000).default(10_000).describe('Open connections of clients'),
  NETWORK_CONNECTIONS_MAX: wholeNumber(1, 1_000_000)
    .default(512)
    .describe('Open connections of one client network; those of TRUSTED_PROXIES count for none'),
  STALL_TIMEOUT_MS: wholeNumber(100, 600_000).default(20_000).describe('How long a client may send or read too little'),
  UPLOAD_MIN_BYTES_PER_S: wholeNumber(0, 1_000_000_000).default(1000).describe('The slowest body that is still read'),
  UPLOAD_TIMEOUT_MS: wholeNumber(1000, 3_600_000).default(300_000).describe('How long a whole request may take to arrive'),
  UPLOADS_DIR: z
    .string()
    .min(1)
    .default(tmpdir())
    .describe("The folder of bodies of more than 1 MB while they arrive; by default the system's for temporary files"),
  UPLOADS_MB: wholeNumber(160, 1_000_000)
    .default(1024)
    .transform((size) => size * mb)
    .describe('The disk space of bodies of more than 1 MB while they arrive, in megabytes'),
};

/** Hosts below one registrable domain are one site to a browser, and frames of one site get the dashboard's cookies. */
const domainOf = (url: string) => getDomain(url, { allowPrivateDomains: true });

/** The gateway's settings, read from the environment once at start. */
const Settings = z.object({
  ...baseConfig,
  ...eventsConfig,
  ...rpcClientConfig,
  ...addressesOf('gateway'),
  ...httpAddresses,
  DASHBOARD_DIR: z.string().min(1).describe('The folder of the built dashboard'),
  DOCS_DIR: z.string().min(1).describe('The folder of the built docs site'),
  PORT: Port.default(8080).describe('The public port'),
  ...originConfig,
  ALLOW_SHARED_DOMAIN: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .describe('true: starts although SITES_ORIGIN or PREVIEW_ORIGIN shares the registrable domain of ORIGIN'),
  ALLOW_PLAIN_HTTP: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .describe('true: starts although ORIGIN is http and not this machine: whoever listens on the network can read passwords and sessions'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' })
    .describe('Redis, for the limit of requests')
    .meta(secret),
  REDIS_CLUSTER: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .describe('true: REDIS_URL leads to a node of a Redis Cluster'),
  REDIS_TIMEOUT_MS: atLeast(10).default(500).describe('Redis counts as unavailable after this time without an answer'),
  RATE_LIMIT: atLeast(1)
    .default(100)
    .describe('Requests per window and credential; look-ups of names without a site per window and client network'),
  SESSION_RATE_LIMIT: atLeast(1).default(600).describe('Requests per window and session'),
  RATE_WINDOW_MS: atLeast(1000).default(60_000).describe('The window of the two limits above'),
  ...inFlightConfig,
  ...quotaConfig(['requests']),
  REQUEST_TIMEOUT_MS: atLeast(100).default(10_000).describe('The deadline of a request; a tool of an agent has nine tenths of it'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .refine(areNetworks, { error: 'must list IP addresses or CIDRs with commas between, as in 10.0.4.0/24,192.0.2.7' })
    .describe('Addresses or CIDRs of the proxies whose X-Forwarded-For counts; without it all clients behind one are one network'),
  ORIGIN_ALIASES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .toLowerCase()
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .refine((names) => names.every((name) => hostName.test(name)), {
      error: 'must list host names with commas between, as in gateway.internal',
    })
    .describe('Comma-separated host names besides that of ORIGIN at which the platform itself is reached, as by health checks'),
  SECURITY_CONTACT: z
    .url({ protocol: /^(?:https|mailto|tel)$/, error: 'must be a https:, mailto: or tel: address' })
    .optional()
    .describe('Where weaknesses of this installation are reported to, as /.well-known/security.txt says (RFC 9116)'),
  DEPRECATED_AT: z.iso
    .datetime({ error: 'must be a time such as 2026-03-01T00:00:00Z' })
    .optional()
    .describe('The time from which API version 1 is deprecated (RFC 9745)'),
  SUNSET_AT: z.iso
    .datetime({ error: 'must be a time such as 2026-03-01T00:00:00Z' })
    .optional()
    .describe('The time at which API version 1 will stop responding (RFC 8594)'),
});

/** What is wrong with ORIGIN beyond its form. `npm start` asks before it starts anything. */
export const originProblem = (origin: string, allowPlainHttp: string | undefined): string | undefined =>
  isReadByOthers(origin) && allowPlainHttp !== 'true'
    ? 'must be https, or http at localhost: over the network anybody could read passwords and sessions. ALLOW_PLAIN_HTTP=true accepts that, and every page warns'
    : undefined;

export const GatewayConfig = Settings.superRefine((settings, { addIssue }) => {
  const problem = originProblem(settings.ORIGIN, settings.ALLOW_PLAIN_HTTP);
  if (problem !== undefined) addIssue({ code: 'custom', path: ['ORIGIN'], message: problem });
  const domain = domainOf(settings.ORIGIN);
  for (const name of ['SITES_ORIGIN', 'PREVIEW_ORIGIN'] as const) {
    if (domain === null || settings.ALLOW_SHARED_DOMAIN === 'true' || domainOf(settings[name]) !== domain) continue;
    const message = `must be on another domain than ORIGIN, not below ${domain}: pages of customers there could use what a person is signed in to. ALLOW_SHARED_DOMAIN=true accepts that`;
    addIssue({ code: 'custom', path: [name], message });
  }
});

export type GatewayConfig = z.output<typeof GatewayConfig>;
