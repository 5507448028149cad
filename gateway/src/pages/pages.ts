import type { IncomingMessage } from 'node:http';
import { AppError, type Language } from '@webkiln/contract';
import { escapeHtml, warningStylePath, withWarning } from '@webkiln/http';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { languageOf } from '@webkiln/texts';
import express, { type Request, type Response, type Router } from 'express';
import type { AddressQuota } from '../admission/quotas.ts';
import { texts } from '../texts.ts';
import { invoiceStyle } from './invoice-page.ts';
import { invoices } from './invoices.ts';
import { Logos } from './logos.ts';
import { accentStyle, type Brand, brandOf, page, pageStyle, type RenderedPage, sendPage, styleHeaders, warningStyle } from './page.ts';

const timeoutMs = 10_000;
const caller = () => serviceCaller('gateway', '', timeoutMs);

/** Signs in the client of a request. Resolves to the cookies of its session; empty if it takes more than a password. */
export type SignIn = (
  client: IncomingMessage,
  credentials: { readonly email: string; readonly password: string },
) => Promise<readonly string[]>;

interface Parts {
  readonly origin: string;
  readonly signIn: SignIn;
  /** Limits lookups of logos; cached ones are not limited. */
  readonly countLogo: AddressQuota;
  /** Limits submissions of the activation form, and so guesses at passwords. */
  readonly countSubmission: AddressQuota;
  /** Limits answers to form mails and reports: each is a write. */
  readonly countAnswer: AddressQuota;
  /** Limits guesses at links of invoices. */
  readonly countInvoice: AddressQuota;
  /** Limits forged messages of a payment provider. */
  readonly countPaymentEvent: AddressQuota;
}

/** Routes of the gateway's own pages, which work without JavaScript. */
export function pages({ origin, signIn, countLogo, countSubmission, countAnswer, countInvoice, countPaymentEvent }: Parts): Router {
  const logos = new Logos(countLogo);
  const router = express.Router();
  const style = withWarning(origin, pageStyle);
  router.get('/assets/page.css', (_request, response) => sendStyle(response, style));
  router.get(warningStylePath, (_request, response) => sendStyle(response, warningStyle));
  router.get(/^\/accents\/([0-9a-f]{6})\.css$/i, (request, response) => sendStyle(response, accentStyle(`#${request.params[0]}`)));
  router.get(/^\/logos\/([0-9a-f]{64})$/, (request, response) => logos.handle(request.params[0] ?? '', request, response));
  router.get('/activate', (request, response) => sendPage(response, showInvitation(tokenOf(request), languageOf(request.headers))));
  router.post('/activate', express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
    const { token, password } = (request.body ?? {}) as { token?: string; password?: string };
    return sendPage(response, submit(request, String(token ?? ''), String(password ?? '')));
  });
  router.get('/assets/invoice.css', (_request, response) => sendStyle(response, invoiceStyle));
  router.use(invoices({ logos, countInvoice, countPaymentEvent }));
  for (const kind of ['form-mails', 'report-mails'] as const) {
    router.get(`/${kind}`, (request, response) => sendPage(response, showConsent(kind, request)));
    // Mail programs post here without a cookie, with a body of their own (RFC 8058): only the page's button agrees.
    router.post(`/${kind}`, express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
      const { answer } = (request.body ?? {}) as { answer?: string };
      return sendPage(response, answerMails(kind, request, answer === 'agree'));
    });
  }
  return router;

  async function answerMails(kind: MailKind, request: Request, agrees: boolean): Promise<RenderedPage> {
    await countAnswer(request);
    return answerConsent(kind, request, agrees);
  }

  async function submit(request: Request, token: string, password: string): Promise<RenderedPage> {
    await countSubmission(request);
    return acceptInvitation(request, token, password);
  }

  /**
   * Submits the form: creates the account or signs in to it, activates the client, and opens the dashboard. An invalid
   * password shows the form again.
   */
  async function acceptInvitation(request: Request, token: string, password: string): Promise<RenderedPage> {
    const language = languageOf(request.headers);
    try {
      const { email, org_id } = await call('clients.AcceptInvitation', { token, password }, caller());
      const cookies = await signIn(request, { email, password });
      if (cookies.length === 0) return activated(email, language, await brandOf(org_id));
      return { status: 303, html: '', headers: ['Location', '/', ...cookies.flatMap((cookie) => ['Set-Cookie', cookie])] };
    } catch (error) {
      if (error instanceof AppError && error.kind === 'invalid') return showInvitation(token, language, error);
      throw error;
    }
  }
}

const tokenOf = (request: Request) => String(request.query.token ?? '');

function sendStyle(response: Response, style: string): void {
  response.writeHead(200, styleHeaders);
  response.end(style);
}

/** The page behind an invitation's link. */
async function showInvitation(token: string, language: Language, problem?: AppError): Promise<RenderedPage> {
  const { email, has_account, accepted, org_id } = await call('clients.GetInvitation', { token }, caller());
  const brand = await brandOf(org_id);
  return accepted ? activated(email, language, brand) : activationForm({ token, email, hasAccount: has_account }, language, brand, problem);
}

interface Invited {
  readonly token: string;
  readonly email: string;
  readonly hasAccount: boolean;
}

/** A value, which is text, of a sentence, which is HTML. */
const strong = (value: string) => `<strong>${escapeHtml(value)}</strong>`;

function activationForm({ token, email, hasAccount }: Invited, language: Language, brand: Brand, problem?: AppError): RenderedPage {
  const t = texts[language].activation;
  const wrong = hasAccount ? texts[language].errors.invalid_password : t.passwordHint;
  const warning = problem === undefined ? '' : `<p class="wrong" role="alert">${wrong}</p>\n`;
  const [label, hint, autocomplete, button] = hasAccount
    ? [t.yourPassword, t.hasAccount, 'current-password', t.signIn]
    : [t.choosePassword, t.passwordHint, 'new-password', t.activate];
  const main = `<h1>${t.title}</h1>
<p>${t.text({ agency: strong(brand.name), email: strong(email) })}</p>
<form method="post" action="/activate">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="password">${label}</label>
<input id="password" name="password" type="password" autocomplete="${autocomplete}" minlength="8" maxlength="128" required autofocus aria-describedby="hint">
<p class="hint" id="hint">${hint}</p>
${warning}<button>${button}</button>
</form>`;
  return { status: problem?.status ?? 200, html: page(language, t.title, main, brand) };
}

function activated(email: string, language: Language, brand: Brand): RenderedPage {
  const t = texts[language].activated;
  const main = `<h1>${t.title}</h1>
<p>${t.text({ email: strong(email) })}</p>
<a class="button" href="/sign-in?${escapeHtml(String(new URLSearchParams({ email })))}">${t.button}</a>`;
  return { status: 200, html: page(language, t.title, main, brand) };
}

interface Consent {
  readonly org_id: string;
  readonly state: string;
}

/** The mails that a recipient ends by a link in them, by the path of its page. */
type MailKind = 'form-mails' | 'report-mails';

/** The page where the recipient of such mails agrees to them or ends them. Opening it changes nothing. */
const showConsent = async (kind: MailKind, request: Request): Promise<RenderedPage> =>
  renderConsent(kind, request, await call('identity.OpenMailConsent', { token: tokenOf(request) }, caller()));

/** Stores the answer. Repeats show the same page. */
const answerConsent = async (kind: MailKind, request: Request, agrees: boolean): Promise<RenderedPage> =>
  renderConsent(kind, request, await call('identity.AnswerMailConsent', { token: tokenOf(request), agrees }, caller()));

async function renderConsent(kind: MailKind, request: Request, { org_id, state }: Consent): Promise<RenderedPage> {
  const brand = await brandOf(org_id);
  const language = languageOf(request.headers);
  const t = texts[language].formMails;
  const reportMails = texts[language].reportMails;
  const choices = {
    asked: kind === 'form-mails' ? { agree: t.agree, withdraw: t.refuse } : { withdraw: t.withdraw },
    agreed: { withdraw: t.withdraw },
    withdrawn: { agree: t.again },
  };
  // Nobody is asked for reports: they begin with the first one.
  const about = kind === 'form-mails' ? t : { asked: reportMails.agreed, ...reportMails };
  const known = state as keyof typeof choices;
  const { title, text } = about[known];
  const buttons = Object.entries(choices[known]).map(
    ([answer, label], index) => `<button${index > 0 ? ' class="plain"' : ''} name="answer" value="${answer}">${label}</button>`,
  );
  const main = `<h1>${title}</h1>
<p>${text({ agency: strong(brand.name) })}</p>
<form method="post" action="/${kind}?token=${escapeHtml(encodeURIComponent(tokenOf(request)))}">
${buttons.join('\n')}
</form>`;
  return { status: 200, html: page(language, title, main, brand) };
}
