import { AppError } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import express, { type Request, type Response, type Router } from 'express';
import type { AddressQuota } from '../admission/quotas.ts';
import { invoiceFiles, invoicePage, invoiceStyle, pdfHeaders } from './invoice-page.ts';
import { Logos } from './logos.ts';
import { accentStyle, type Brand, brandOf, page, pageHeaders, pageStyle, styleHeaders } from './page.ts';

const timeoutMs = 10_000;
const printTimeoutMs = 30_000;
const caller = () => callerFor(servicePrincipal('gateway', ''), { timeoutMs });

interface RenderedPage {
  readonly status: number;
  readonly html: string;
}

interface Parts {
  /** Limits lookups of logos; cached ones are not limited. */
  readonly countLogo: AddressQuota;
  /** Limits submissions of the activation form, and so guesses at passwords. */
  readonly countSubmission: AddressQuota;
  /** Limits answers to form mails: each is a write. */
  readonly countAnswer: AddressQuota;
  /** Limits guesses at links of invoices. */
  readonly countInvoice: AddressQuota;
}

/** Routes of the gateway's own pages, which work without JavaScript. */
export function pages({ countLogo, countSubmission, countAnswer, countInvoice }: Parts): Router {
  const logos = new Logos(countLogo);
  const router = express.Router();
  router.get('/assets/page.css', (_request, response) => sendStyle(response, pageStyle));
  router.get(/^\/accents\/([0-9a-f]{6})\.css$/i, (request, response) => sendStyle(response, accentStyle(`#${request.params[0]}`)));
  router.get(/^\/logos\/([0-9a-f]{64})$/, (request, response) => logos.handle(request.params[0] ?? '', request, response));
  router.get('/activate', (request, response) => sendPage(response, showInvitation(tokenOf(request))));
  router.post('/activate', express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
    const { token, password } = (request.body ?? {}) as { token?: string; password?: string };
    return sendPage(response, submit(request, String(token ?? ''), String(password ?? '')));
  });
  router.get('/assets/invoice.css', (_request, response) => sendStyle(response, invoiceStyle));
  router.get('/invoice/:token', (request, response) => sendPage(response, showInvoice(request)));
  router.get('/invoice/:token/pdf', (request, response) => sendInvoicePdf(request, response));
  router.get('/form-mails', (request, response) => sendPage(response, showConsent(tokenOf(request))));
  // Mail programs post here without a cookie, with a body of their own (RFC 8058): only the page's button agrees.
  router.post('/form-mails', express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
    const { answer } = (request.body ?? {}) as { answer?: string };
    return sendPage(response, answerFormMails(request, tokenOf(request), answer === 'agree'));
  });
  return router;

  async function showInvoice(request: Request): Promise<RenderedPage> {
    await countInvoice(request);
    const invoice = await call('billing.OpenInvoice', { token: String(request.params.token) }, caller());
    return { status: 200, html: invoicePage(invoice, await brandOf(invoice.org_id), `/invoice/${request.params.token}/pdf`) };
  }

  /** The page of an invoice as PDF, with its style sheets and logo. */
  async function sendInvoicePdf(request: Request, response: Response): Promise<void> {
    try {
      await countInvoice(request);
      const invoice = await call('billing.OpenInvoice', { token: String(request.params.token) }, caller());
      const brand = await brandOf(invoice.org_id);
      const files = [...invoiceFiles(invoice, brand), ...(await logos.fileOf(brand, request))];
      const printing = callerFor(servicePrincipal('gateway', invoice.org_id), { timeoutMs: printTimeoutMs });
      const { pdf } = await call('documents.PrintPdf', { files }, printing);
      response.writeHead(200, [...pdfHeaders(invoice.number), 'Content-Length', String(pdf.byteLength)]);
      response.end(pdf);
    } catch (error) {
      send(response, errorPage(error));
    }
  }

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

/** The page behind an invitation's link. */
async function showInvitation(token: string, problem?: AppError): Promise<RenderedPage> {
  const { email, has_account, accepted, org_id } = await call('clients.GetInvitation', { token }, caller());
  const brand = await brandOf(org_id);
  return accepted ? activated(email, brand) : activationForm(token, email, has_account, brand, problem);
}

/**
 * Submits the form: creates the account or signs in to it, and activates the client. An invalid password shows the
 * form again.
 */
async function acceptInvitation(token: string, password: string): Promise<RenderedPage> {
  try {
    const { email, org_id } = await call('clients.AcceptInvitation', { token, password }, caller());
    return activated(email, await brandOf(org_id));
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return showInvitation(token, error);
    throw error;
  }
}

/** Shows the error's message and never its cause. */
function errorPage(error: unknown): RenderedPage {
  const appError = error instanceof AppError ? error : new AppError('internal');
  const title = appError.status === 404 ? 'This link has run out' : 'That did not work';
  return { status: appError.status, html: page(title, `<h1>${title}</h1>\n<p>${escapeHtml(appError.message)}</p>`) };
}

function activationForm(token: string, email: string, hasAccount: boolean, brand: Brand, problem: AppError | undefined): RenderedPage {
  const warning =
    problem === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(problem.details[0]?.message ?? problem.message)}</p>\n`;
  const [label, hint, autocomplete, button] = hasAccount
    ? ['Your password', 'You have an account already: sign in to it.', 'current-password', 'Sign in and accept']
    : ['Choose a password', 'At least 8 characters.', 'new-password', 'Activate account'];
  const main = `<h1>You are invited</h1>
<p><strong>${escapeHtml(brand.name)}</strong> has invited you. This activates the account of <strong>${escapeHtml(email)}</strong>.</p>
<form method="post" action="/activate">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="password">${label}</label>
<input id="password" name="password" type="password" autocomplete="${autocomplete}" minlength="8" maxlength="128" required autofocus aria-describedby="hint">
<p class="hint" id="hint">${hint}</p>
${warning}<button>${button}</button>
</form>`;
  return { status: problem?.status ?? 200, html: page('You are invited', main, brand) };
}

function activated(email: string, brand: Brand): RenderedPage {
  const title = 'Your account is active';
  const main = `<h1>${title}</h1>
<p>Sign in as <strong>${escapeHtml(email)}</strong> to see your websites.</p>
<a class="button" href="/sign-in">Sign in</a>`;
  return { status: 200, html: page(title, main, brand) };
}

type ConsentState = 'asked' | 'agreed' | 'withdrawn';

interface Consent {
  readonly org_id: string;
  readonly state: string;
}

/** The page where the recipient of form mails agrees to them or ends them. Opening it changes nothing. */
const showConsent = async (token: string): Promise<RenderedPage> =>
  renderConsent(token, await call('identity.OpenMailConsent', { token }, caller()));

/** Stores the answer. Repeats show the same page. */
const answerConsent = async (token: string, agrees: boolean): Promise<RenderedPage> =>
  renderConsent(token, await call('identity.AnswerMailConsent', { token, agrees }, caller()));

const agree = { answer: 'agree', label: 'Receive these mails' };
const withdraw = { answer: 'withdraw', label: 'Stop these mails' };
const consentTexts: Readonly<Record<ConsentState, { title: string; text: string; choices: readonly { answer: string; label: string }[] }>> =
  {
    asked: {
      title: 'Receive form mails?',
      text: 'wants to send to your address what visitors write in the forms of its websites.',
      choices: [agree, { ...withdraw, label: 'No, never' }],
    },
    agreed: {
      title: 'You receive form mails',
      text: 'sends to your address what visitors write in the forms of its websites.',
      choices: [withdraw],
    },
    withdrawn: {
      title: 'You receive no form mails',
      text: 'sends no form mails to your address.',
      choices: [{ ...agree, label: 'Receive them again' }],
    },
  };

async function renderConsent(token: string, { org_id, state }: Consent): Promise<RenderedPage> {
  const brand = await brandOf(org_id);
  const { title, text, choices } = consentTexts[state as ConsentState];
  const buttons = choices.map(
    ({ answer, label }, index) => `<button${index > 0 ? ' class="plain"' : ''} name="answer" value="${answer}">${label}</button>`,
  );
  const main = `<h1>${title}</h1>
<p><strong>${escapeHtml(brand.name)}</strong> ${text}</p>
<form method="post" action="/form-mails?token=${escapeHtml(encodeURIComponent(token))}">
${buttons.join('\n')}
</form>`;
  return { status: 200, html: page(title, main, brand) };
}
