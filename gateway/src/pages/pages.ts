import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import express, { type Request, type Response, type Router } from 'express';
import type { AddressQuota } from '../admission/quotas.ts';
import { invoiceStyle } from './invoice-page.ts';
import { invoices } from './invoices.ts';
import { Logos } from './logos.ts';
import { accentStyle, type Brand, brandOf, page, pageStyle, type RenderedPage, sendPage, styleHeaders } from './page.ts';

const timeoutMs = 10_000;
const caller = () => callerFor(servicePrincipal('gateway', ''), { timeoutMs });

/** Signs in the client of a request. Resolves to the cookies of its session; empty if it takes more than a password. */
export type SignIn = (
  client: IncomingMessage,
  credentials: { readonly email: string; readonly password: string },
) => Promise<readonly string[]>;

interface Parts {
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
export function pages({ signIn, countLogo, countSubmission, countAnswer, countInvoice, countPaymentEvent }: Parts): Router {
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
  router.use(invoices({ logos, countInvoice, countPaymentEvent }));
  for (const kind of ['form-mails', 'report-mails'] as const) {
    router.get(`/${kind}`, (request, response) => sendPage(response, showConsent(kind, tokenOf(request))));
    // Mail programs post here without a cookie, with a body of their own (RFC 8058): only the page's button agrees.
    router.post(`/${kind}`, express.urlencoded({ extended: false, limit: '16kb' }), (request: Request, response) => {
      const { answer } = (request.body ?? {}) as { answer?: string };
      return sendPage(response, answerMails(kind, request, answer === 'agree'));
    });
  }
  return router;

  async function answerMails(kind: MailKind, request: Request, agrees: boolean): Promise<RenderedPage> {
    await countAnswer(request);
    return answerConsent(kind, tokenOf(request), agrees);
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
    try {
      const { email, org_id } = await call('clients.AcceptInvitation', { token, password }, caller());
      const cookies = await signIn(request, { email, password });
      if (cookies.length === 0) return activated(email, await brandOf(org_id));
      return { status: 303, html: '', headers: ['Location', '/', ...cookies.flatMap((cookie) => ['Set-Cookie', cookie])] };
    } catch (error) {
      if (error instanceof AppError && error.kind === 'invalid') return showInvitation(token, error);
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
async function showInvitation(token: string, problem?: AppError): Promise<RenderedPage> {
  const { email, has_account, accepted, org_id } = await call('clients.GetInvitation', { token }, caller());
  const brand = await brandOf(org_id);
  return accepted ? activated(email, brand) : activationForm(token, email, has_account, brand, problem);
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
<a class="button" href="/sign-in?${escapeHtml(String(new URLSearchParams({ email })))}">Sign in</a>`;
  return { status: 200, html: page(title, main, brand) };
}

type ConsentState = 'asked' | 'agreed' | 'withdrawn';

interface Consent {
  readonly org_id: string;
  readonly state: string;
}

/** The mails that a recipient ends by a link in them, by the path of its page. */
type MailKind = 'form-mails' | 'report-mails';

/** The page where the recipient of such mails agrees to them or ends them. Opening it changes nothing. */
const showConsent = async (kind: MailKind, token: string): Promise<RenderedPage> =>
  renderConsent(kind, token, await call('identity.OpenMailConsent', { token }, caller()));

/** Stores the answer. Repeats show the same page. */
const answerConsent = async (kind: MailKind, token: string, agrees: boolean): Promise<RenderedPage> =>
  renderConsent(kind, token, await call('identity.AnswerMailConsent', { token, agrees }, caller()));

const agree = { answer: 'agree', label: 'Receive these mails' };
const withdraw = { answer: 'withdraw', label: 'Stop these mails' };
const again = { ...agree, label: 'Receive them again' };

interface ConsentText {
  readonly title: string;
  readonly text: string;
  readonly choices: readonly { readonly answer: string; readonly label: string }[];
}

const receivesReports: ConsentText = {
  title: 'You receive monthly reports',
  text: 'sends to your address once a month how often your websites were visited.',
  choices: [withdraw],
};
const consentTexts: Readonly<Record<MailKind, Readonly<Record<ConsentState, ConsentText>>>> = {
  'form-mails': {
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
    withdrawn: { title: 'You receive no form mails', text: 'sends no form mails to your address.', choices: [again] },
  },
  // Nobody is asked for them: they begin with the first one.
  'report-mails': {
    asked: receivesReports,
    agreed: receivesReports,
    withdrawn: { title: 'You receive no monthly reports', text: 'sends no monthly reports to your address.', choices: [again] },
  },
};

async function renderConsent(kind: MailKind, token: string, { org_id, state }: Consent): Promise<RenderedPage> {
  const brand = await brandOf(org_id);
  const { title, text, choices } = consentTexts[kind][state as ConsentState];
  const buttons = choices.map(
    ({ answer, label }, index) => `<button${index > 0 ? ' class="plain"' : ''} name="answer" value="${answer}">${label}</button>`,
  );
  const main = `<h1>${title}</h1>
<p><strong>${escapeHtml(brand.name)}</strong> ${text}</p>
<form method="post" action="/${kind}?token=${escapeHtml(encodeURIComponent(token))}">
${buttons.join('\n')}
</form>`;
  return { status: 200, html: page(title, main, brand) };
}
