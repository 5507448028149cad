import * as z from 'zod';
import type { DispatchSettings } from './dispatch-settings.ts';

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3600_000, d: 24 * 3600_000 };
const durationForm = 'must be a time, as in 500ms, 15s, 5m, 2h or 5d';

/** A time with its unit, in milliseconds. */
const Duration = z
  .string()
  .regex(/^\d{1,9}(ms|s|m|h|d)$/, { error: durationForm })
  .transform((text) => Number.parseInt(text, 10) * (unitMs[text.replace(/\d+/, '')] ?? 0))
  .refine((ms) => ms > 0, { error: durationForm });

const Durations = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(Duration, { error: durationForm }));

const few = (most: number) => {
  const error = `must be a whole number, 1 to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(1, { error }).max(most, { error });
};

/** What the dispatcher reads from the environment. */
export const dispatchConfig = {
  WEBHOOK_RETRY_WAITS: Durations.default(() => Durations.parse('5s,5m,30m,2h,5h,10h,14h,20h,24h')).describe(
    'The waits before the second and every later attempt, each from the end of the one before',
  ),
  WEBHOOK_TIMEOUT: Duration.default(15_000).describe('How long one attempt may take'),
  WEBHOOK_DISABLE_AFTER: Duration.default(5 * 24 * 3600_000).describe('How long an endpoint may do nothing but fail'),
  WEBHOOK_RETENTION_DAYS: few(3650).default(30).describe('How long deliveries can be looked at'),
  WEBHOOK_ENDPOINT_CONCURRENCY: few(1000).default(32).describe('How many attempts one process makes at once at one endpoint'),
  WEBHOOK_CONCURRENCY: few(20_000).default(1000).describe('How many attempts one process makes at once'),
};

/** An event is in the store, if not delivered, within this time: one endpoint cannot keep others' events waiting. */
const patienceMs = 1_000;
const leaseMarginMs = 10_000;

/** The settings that the environment makes. */
export const dispatchSettings = (config: z.output<z.ZodObject<typeof dispatchConfig>>): DispatchSettings => ({
  retryWaitsMs: config.WEBHOOK_RETRY_WAITS,
  timeoutMs: config.WEBHOOK_TIMEOUT,
  disableAfterMs: config.WEBHOOK_DISABLE_AFTER,
  retentionMs: config.WEBHOOK_RETENTION_DAYS * 24 * 3600_000,
  endpointConcurrency: config.WEBHOOK_ENDPOINT_CONCURRENCY,
  concurrency: config.WEBHOOK_CONCURRENCY,
  patienceMs,
  leaseMarginMs,
});
