import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import express, { type Request, type Response, type Router } from 'express';
import type { AddressQuota } from '../rate-limit/address-quota.ts';
import { acceptInvitation, errorPage, type RenderedPage, showInvitation } from './activation.ts';
import { answerConsent, showConsent } from './form-mails.ts';
import type { Logos } from './logos.ts';
import { accentStyle, pageHeaders, pageStyle, styleHeaders } from './page.ts';

interface Parts {
  readonly logos: Logos;
  /** Limits submissions of the activation form, and so guesses at passwords. */
  readonly countSubmission: AddressQuota;
  /** Limits answers to form mails: each is a write. */
  readonly countAnswer: AddressQuota;
}

/** Routes of the gateway's own pages, which work without JavaScript. */
export function pages({ logos, countSubmission, countAnswer }: Parts): Router {
  const router = express.Router();
  router.get('/assets/page.css', (_request, response) => sendStyle(response, pageStyle));
  router.get(/^\/accents\/([0-9a-f]{6})\.css$/i, (request, response) => sendStyle(response, accentStyle(`#${request.params[0]}`)));
  router.get(/^\/logos\/([0-9a-f]{64})$/, (request, response) => logos.handle(request.params[0] ?? '', request, response));
  router.get('/activate', (request, response) => sendPage(response, showInvitation(tokenOf(request))));
  router.post('/activate', express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
    const { token, password } = (request.body ?? {}) as { token?: string; password?: string };
    return sendPage(response, submit(request, String(token ?? ''), String(password ?? '')));
  });
  router.get('/form-mails', (request, response) => sendPage(response, showConsent(tokenOf(request))));
  // Mail programs post here without a cookie, with a body of their own (RFC 8058): only the page's button agrees.
  router.post('/form-mails', express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
    const { answer } = (request.body ?? {}) as { answer?: string };
    return sendPage(response, answerFormMails(request, tokenOf(request), answer === 'agree'));
  });
  return router;

  async function answerFormMails(request: Request, token: string, agrees: boolean): Promise<RenderedPage> {
    await countAnswer(request);
    return answerConsent(token, agrees);
  }

  async function submit(request: Request, token: string, password: string): Promise<RenderedPage> {
    await countSubmission(request);
    return acceptInvitation(token, password);
  }
}

const tokenOf = (request: Request) => String(request.query.token ?? '');

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
