import * as z from 'zod';
import { secret } from './read-config.ts';
import { mongodbUrl } from './store-url.ts';
import { tlsConfig } from './tls.ts';

/** A TCP port; 0 selects a free one. */
export const Port = z.coerce
  .number({ error: 'must be a port, 0 to 65535' })
  .int({ error: 'must be a port, 0 to 65535' })
  .min(0, { error: 'must be a port, 0 to 65535' })
  .max(65_535, { error: 'must be a port, 0 to 65535' });

/** A whole number that has no upper bound. */
export function atLeast(min: number): z.ZodCoercedNumber {
  const error = `must be a whole number of at least ${min}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error });
}

/** A whole number from `min` to `max`; `of` completes the error message: " of megabytes". */
export function wholeNumber(min: number, max: number, of = ''): z.ZodCoercedNumber {
  const error = `must be a whole number${of}, ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

/** "host:port"; replicas that share no DNS name are listed with commas. */
export const Address = z.string({ error: 'must be host:port' }).regex(/^[^\s,:]+:\d+(,[^\s,:]+:\d+)*$|^\[[\da-f:.]+\]:\d+$/i, {
  error: 'must be host:port, or several of them with commas between',
});

const urlOf = (protocol: RegExp, example: string) => z.url({ protocol, error: `must be a URL such as ${example}` });

/** "issuer:key,issuer:key": the issuers that a service trusts. An issuer may be listed twice while its key changes. */
const TrustedKeys = z
  .string({ error: 'must list issuer:publicKey with commas between, keys as base64 of SPKI' })
  .regex(/^[\w-]+:[\w+/=]+(,[\w-]+:[\w+/=]+)*$/, { error: 'must list issuer:publicKey with commas between, keys as base64 of SPKI' })
  .transform((list) => {
    const keys: Record<string, string | string[]> = {};
    for (const entry of list.split(',')) {
      const [issuer = '', key = ''] = entry.split(':');
      keys[issuer] = [keys[issuer] ?? [], key].flat();
    }
    return keys;
  });

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The settings of every process. */
export const baseConfig = {
  LOG_LEVEL: z
    .enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })
    .default('info')
    .describe('Lines of JSON on standard output from this level on'),
  INTERNAL_PORT: Port.default(0).describe('The port of health checks and metrics'),
  BIND_ADDRESS: z.string().default('127.0.0.1').describe('The address that internal listeners bind to'),
  ...tlsConfig,
  OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(/^https?$/, 'http://collector:4318')
    .optional()
    .describe('Where traces are sent; without it there is no tracing'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a share from 0 to 1' })
    .min(0, { error: 'must be a share from 0 to 1' })
    .max(1, { error: 'must be a share from 0 to 1' })
    .default(0.01)
    .describe('The share of requests that are traced'),
};

export const storeConfig = {
  MONGODB_URL: z
    .string({ error: 'must be a URL such as mongodb://127.0.0.1:27017/?replicaSet=rs0' })
    .regex(mongodbUrl, { error: 'must be a URL such as mongodb://127.0.0.1:27017/?replicaSet=rs0' })
    .describe('A replica set of MongoDB, by a user of its own')
    .meta(secret),
  MONGODB_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, { error: 'must be lower-case letters, digits and _' })
    .default('webkiln')
    .describe('The prefix of each database name'),
  MIGRATE_AT_START: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('true')
    .transform((value) => value === 'true')
    .describe('false: the service waits until its `migrate` was run, instead of making indexes and changing documents itself'),
};

export const eventsConfig = {
  NATS_URL: urlOf(/^(nats|tls)$/, 'nats://127.0.0.1:4222')
    .describe('NATS with JetStream, by a user of its own')
    .meta(secret),
  EVENTS_PREFIX: z
    .string()
    .regex(/^[a-z0-9_]*$/, { error: 'must be lower-case letters, digits and _' })
    .default('')
    .describe('The prefix of each stream and subject, the same in every process, so that several platforms can share one NATS'),
  EVENT_RETRY_MINUTES: wholeNumber(0, 10_080, ' of minutes')
    .default(15)
    .describe('How long an event whose handler fails is retried before it becomes a dead letter; longer for mails'),
  DEAD_LETTER_DAYS: wholeNumber(1, 3_650, ' of days').default(30).describe('How long dead letters are kept'),
  DEAD_LETTERS_MAX: wholeNumber(1, 1_000_000)
    .default(1_000)
    .describe('How many dead letters are kept of one consumer and organization; beyond it the oldest is dropped'),
  EVENTS_STREAM_MB: wholeNumber(1, 1_048_576).default(1024).describe('The maximum size of the stream EVENTS on the disk of NATS'),
  MAILS_STREAM_MB: wholeNumber(1, 1_048_576).default(64).describe('The maximum size of the stream MAILS'),
  AUDIT_STREAM_MB: wholeNumber(1, 1_048_576).default(256).describe('The maximum size of the stream AUDIT'),
  FORMS_STREAM_MB: wholeNumber(1, 1_048_576).default(512).describe('The maximum size of the stream FORMS'),
  EVENTS_MAX_AGE_DAYS: wholeNumber(1, 7).default(7).describe('How long an event waits for its consumers'),
  EVENTS_REPLICAS: z
    .enum(['1', '3', '5'], { error: 'must be 1, 3 or 5' })
    .default('1')
    .transform(Number)
    .describe('How many servers of a NATS cluster keep each stream, the same in every process; 3 in a cluster'),
  EVENTS_KEEP_MINUTES: wholeNumber(1, 10_080).default(60).describe('How long an event stays after every consumer acknowledged it'),
};

/** An address, without what stands behind its host. */
const origin = (error: string, meaning: string) =>
  z
    .url({ protocol: /^https?$/, error: `must be ${error}` })
    .transform((url) => new URL(url).origin)
    .describe(meaning);

/** The public addresses. Those of sites and previews are the parents of one host per site or preview. */
export const originConfig = {
  ORIGIN: origin('the public address, as in https://app.example.com', 'The public address'),
  SITES_ORIGIN: origin(
    'the address above all sites, as in https://sites.example.com',
    'The parent of one address for each published site, on another registrable domain than ORIGIN',
  ),
  PREVIEW_ORIGIN: origin('the address above all previews, as in https://preview.example.net', 'The same for previews'),
};

export const rpcServerConfig = {
  GRPC_PORT: Port.describe('The port that other processes call'),
  PRINCIPAL_TRUSTED_KEYS: TrustedKeys.describe('The public keys of its callers; one may stand there twice while it changes'),
};

export const rpcClientConfig = {
  PRINCIPAL_SIGNING_KEY: z
    .base64({ error: 'must be an Ed25519 private key, base64 of PKCS #8' })
    .describe('Signs the principals of calls')
    .meta(secret),
  RPC_TRANSPORT: z
    .enum(['carried', 'unary'], { error: 'must be carried or unary' })
    .default('carried')
    .describe('How calls travel: carried in frames of long-lived streams; unary is for comparison'),
};

/** The settings of every service that keeps data: its store, its events and its gRPC listener. */
export const dataServiceConfig = { ...baseConfig, ...storeConfig, ...eventsConfig, ...rpcServerConfig };
