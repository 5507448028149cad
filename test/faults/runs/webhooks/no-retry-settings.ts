import { localReceivers } from '../../../harness/local-receivers.ts';

/** Maximum number of concurrent requests of one process to one webhook. */
export const slotsPerProcess = 16;

/**
 * Attempts never time out and retries never happen within a run. An event that waits for either is therefore reported
 * missing.
 */
export const noRetrySettings: NodeJS.ProcessEnv = {
  ...localReceivers,
  RATE_LIMIT: '1000000',
  WEBHOOK_TIMEOUT: '20m',
  WEBHOOK_RETRY_WAITS: '1h',
  WEBHOOK_ENDPOINT_CONCURRENCY: String(slotsPerProcess),
};
