import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import type { Domain } from './domain.ts';
import { sendPage, unavailable } from './plain-page.ts';

/** One request to a site or preview, and its response. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly domain: Domain;
  readonly name: string;
  /** True once the site was resolved again because its files were gone, which means that another deploy is live. */
  isRetry: boolean;
}

/** Responds 503 to a visit that cannot be served, and logs why. */
export function failVisit({ domain, name, response }: Visit, error: unknown): void {
  const site = domain.namesAreSecret ? undefined : name;
  if (error instanceof AppError) logger.warn({ err: error, site }, 'site unavailable; responding 503');
  else logger.error({ err: error, site }, 'visit failed; responding 503');
  if (response.headersSent) response.destroy();
  else sendPage(response, unavailable);
}
