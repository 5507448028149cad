import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import express, { type Request, type Response, type Router } from 'express';
import type { AddressQuota } from '../rate-limit/address-quota.ts';
import { acceptInvitation, errorPage, type RenderedPage, showInvitation } from './activation.ts';
import type { Logos } from './logos.ts';
import { accentStyle, pageHeaders, pageStyle, styleHeaders } from './page.ts';

interface Parts {
  readonly logos: Logos;
  /** Limits submissions of the activation form, and so guesses at passwords. */
  readonly countSubmission: AddressQuota;
}

/** Routes of the gateway's own pages, which work without JavaScript. */
export function pages({ logos, countSubmission }: Parts): Router {
  const router = express.Router();
  router.get('/assets/page.css', (_request, response) => sendStyle(response, pageStyle));
  router.get(/^\/accents\/([0-9a-f]{6})\.css$/i, (request, response) => sendStyle(response, accentStyle(`#${request.params[0]}`)));
  router.get(/^\/logos\/([0-9a-f]{64})$/, (request, response) => logos.handle(request.params[0] ?? '', request, response));
  router.get('/activate', (request, response) => sendPage(response, showInvitation(String(request.query.token ?? ''))));
  router.post('/activate', express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
    const { token, password } = (request.body ?? {}) as { token?: string; password?: string };
    return sendPage(response, submit(request, String(token ?? ''), String(password ?? '')));
  });
  return router;

  async function submit(request: Request, token: string, password: string): Promise<RenderedPage> {
    await countSubmission(request);
    return acceptInvitation(token, password);
  }
}

function sendStyle(response: Response, style: string): void {
  response.writeHead(200, styleHeaders);
  response.end(style);
}

async function sendPage(response: Response, page: Promise<RenderedPage>): Promise<void> {
  try {
    send(response, await page);
  } catch (error) {
    if (!(error instanceof AppError)) logger.error({ err: error }, 'page failed; showing an error page');
    send(response, errorPage(error));
  }
}

function send(response: Response, { status, html }: RenderedPage): void {
  const retry = status === 429 || status === 503 ? ['Retry-After', '60'] : [];
  response.writeHead(status, [...pageHeaders, ...retry, 'Content-Length', String(Buffer.byteLength(html))]);
  response.end(html);
}
