import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import express, { type Request, type Response, type Router } from 'express';
import { acceptInvitation, errorPage, type ShownPage, showInvitation } from './activation.ts';
import { pageHeaders, pageStyle } from './page.ts';
import type { RateLimiter } from './rate-limit.ts';

interface Parts {
  readonly limiter: RateLimiter;
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** Submissions of the form per window and address: a guess at a password costs one. */
const submissionsPerWindow = 20;

/** The gateway's own plain pages, which work without script. */
export function pages({ limiter, clientAddress }: Parts): Router {
  const router = express.Router();
  router.get('/assets/page.css', (_request, response) => {
    response.writeHead(200, [
      ...pageHeaders.slice(0, -4),
      'Cache-Control',
      'public, max-age=3600',
      'Content-Type',
      'text/css; charset=utf-8',
    ]);
    response.end(pageStyle);
  });
  router.get('/activate', (request, response) => answer(response, showInvitation(String(request.query.token ?? ''))));
  router.post('/activate', express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
    const { token, password } = (request.body ?? {}) as { token?: string; password?: string };
    return answer(response, submit(request, String(token ?? ''), String(password ?? '')));
  });
  return router;

  async function submit(request: Request, token: string, password: string): Promise<ShownPage> {
    const { allowed } = await limiter.take(`activate:${clientAddress(request)}`, submissionsPerWindow);
    if (!allowed) throw new AppError('rate_limited');
    return acceptInvitation(token, password);
  }
}

async function answer(response: Response, shown: Promise<ShownPage>): Promise<void> {
  try {
    send(response, await shown);
  } catch (error) {
    if (!(error instanceof AppError)) logger.error({ err: error }, 'a page failed');
    send(response, errorPage(error));
  }
}

function send(response: Response, { status, html }: ShownPage): void {
  const retry = status === 429 || status === 503 ? ['Retry-After', '60'] : [];
  response.writeHead(status, [...pageHeaders, ...retry, 'Content-Length', String(Buffer.byteLength(html))]);
  response.end(html);
}
