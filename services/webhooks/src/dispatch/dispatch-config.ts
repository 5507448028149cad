import { wholeNumber } from '@webkiln/runtime';
import * as z from 'zod';

/** The settings of the dispatcher. */
export interface DispatchSettings {
  /**
   * The waits before the second and every later attempt, each from the end of the one before; after the last one the
   * delivery has failed.
   */
  readonly retryWaitsMs: readonly number[];
  /** How long one attempt may take. */
  readonly timeoutMs: number;
  /** An endpoint that fails this long without a success is disabled. */
  readonly disableAfterMs: number;
  /** How long a delivery is kept. */
  readonly retentionMs: number;
  /** The maximum of concurrent attempts of one process at one endpoint. */
  readonly endpointConcurrency: number;
  /** The maximum of concurrent attempts of one process at the endpoints of one organization. */
  readonly organizationConcurrency: number;
  /** The maximum of concurrent attempts of one process at one receiving host (name and port). */
  readonly hostConcurrency: number;
  /** The maximum of concurrent attempts of one process. */
  readonly concurrency: number;
  /** How long an event may occupy memory and the stream before its delivery is deferred to the store. */
  readonly maxHoldMs: number;
  /** A claim lasts this much longer than `timeoutMs`; then another process makes the attempt. */
  readonly leaseMarginMs: number;
}

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3600_000, d: 24 * 3600_000 };
const durationError = 'must be a time, as in 500ms, 15s, 5m, 2h or 5d';

/** A time with its unit, parsed to milliseconds. */
const Duration = z
  .string()
  .regex(/^\d{1,9}(ms|s|m|h|d)$/, { error: durationError })
  .transform((text) => Number.parseInt(text, 10) * (unitMs[text.replace(/\d+/, '')] ?? 0))
  .refine((ms) => ms > 0, { error: durationError });

const Durations = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(Duration, { error: durationError }));

/** The dispatcher's environment variables. */
export const dispatchConfig = {
  WEBHOOK_RETRY_WAITS: Durations.prefault('5s,5m,30m,2h,5h,10h,14h,20h,24h').describe(
    'The waits before the second and every later attempt, each from the end of the one before, ±10 %',
  ),
  WEBHOOK_TIMEOUT: Duration.prefault('15s').describe('How long one attempt may take'),
  WEBHOOK_DISABLE_AFTER: Duration.prefault('5d').describe('After how long of failures alone an endpoint is disabled'),
  WEBHOOK_RETENTION_DAYS: wholeNumber(1, 3650).default(30).describe('How many days deliveries are kept'),
  WEBHOOK_ENDPOINT_CONCURRENCY: wholeNumber(1, 1000)
    .default(32)
    .describe('The maximum of concurrent attempts of one process at one endpoint'),
  WEBHOOK_ORGANIZATION_CONCURRENCY: wholeNumber(1, 20_000)
    .default(128)
    .describe('The maximum of concurrent attempts of one process at the endpoints of one organization'),
  WEBHOOK_HOST_CONCURRENCY: wholeNumber(1, 20_000)
    .default(256)
    .describe('The maximum of concurrent attempts of one process at one receiving host (name and port)'),
  WEBHOOK_CONCURRENCY: wholeNumber(1, 20_000).default(1000).describe('The maximum of concurrent attempts of one process'),
};

/** One slow endpoint cannot keep other endpoints' events waiting longer than this. */
const maxHoldMs = 1_000;
const leaseMarginMs = 10_000;

export const dispatchSettings = (config: z.output<z.ZodObject<typeof dispatchConfig>>): DispatchSettings => ({
  retryWaitsMs: config.WEBHOOK_RETRY_WAITS,
  timeoutMs: config.WEBHOOK_TIMEOUT,
  disableAfterMs: config.WEBHOOK_DISABLE_AFTER,
  retentionMs: config.WEBHOOK_RETENTION_DAYS * 24 * 3600_000,
  endpointConcurrency: config.WEBHOOK_ENDPOINT_CONCURRENCY,
  organizationConcurrency: config.WEBHOOK_ORGANIZATION_CONCURRENCY,
  hostConcurrency: config.WEBHOOK_HOST_CONCURRENCY,
  concurrency: config.WEBHOOK_CONCURRENCY,
  maxHoldMs,
  leaseMarginMs,
});
