import { localReceivers } from '../../harness/local-receivers.ts';

/** How many requests one process has open at one webhook, at most. */
export const slotsOfAProcess = 16;

/** Attempts may take as long as a run, and retries come after its end: what waits for either does not arrive within it. */
export const patientSettings: NodeJS.ProcessEnv = {
  ...localReceivers,
  RATE_LIMIT: '1000000',
  WEBHOOK_TIMEOUT: '20m',
  WEBHOOK_RETRY_WAITS: '1h',
  WEBHOOK_ENDPOINT_CONCURRENCY: String(slotsOfAProcess),
};
