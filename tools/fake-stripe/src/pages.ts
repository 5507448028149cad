import type Stripe from 'stripe';
import { changeAccount } from './accounts.ts';
import { StripeFailure } from './errors.ts';
import { cards, isCardName } from './payments/cards.ts';
import { type Attempt, attemptPayment, authenticate } from './payments/checkout.ts';
import { moneyText, setDefaultCard } from './payments/payments.ts';
import { idOf, type State } from './state.ts';

export type PageAnswer = { readonly status: number; readonly html: string } | { readonly redirect: string };

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f6f8fa, #16181d); }
main { box-sizing: border-box; width: min(28rem, 100%); padding: 2rem; border-radius: 12px; background: light-dark(#fff, #22252c);
  box-shadow: 0 8px 30px rgb(0 0 0 / 12%); }
h1 { margin: 0 0 1rem; font-size: 1.3rem; }
small { color: light-dark(#5a6372, #a6adba); }
table { width: 100%; margin-bottom: 1rem; border-collapse: collapse; }
td { padding: .3rem 0; } td:last-child { text-align: right; }
fieldset { margin: 0 0 1rem; padding: 0; border: 0; } legend { padding: 0; font-weight: 600; }
label { display: block; padding: .35rem 0; }
[role=alert] { padding: .6rem .8rem; border-radius: 8px; background: light-dark(#fdecec, #4b2226); color: light-dark(#a11, #ffb4b4); }
.actions { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
button { padding: .6rem 1.2rem; border: 0; border-radius: 8px; background: #5b4ddb; color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
button.second { background: none; color: inherit; outline: 1px solid currentColor; }
a { color: light-dark(#4b3fc4, #b3abff); }`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function page(title: string, content: string, alert?: string, status = 200): PageAnswer {
  const message = alert === undefined ? '' : `<p role="alert">${escaped(alert)}</p>`;
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>${escaped(title)}</title><style>${style}</style></head>
<body><main><h1>${escaped(title)}</h1>${message}${content}<p><small>Fake Stripe: no money moves.</small></p></main></body>
</html>`;
  return { status, html };
}

const notFound = (): PageAnswer => page('Page not found', '<p>The link may be wrong or out of date.</p>', undefined, 404);
const link = (url: string | null, text: string): string => (url === null ? '' : `<a href="${escaped(url)}">${text}</a>`);
const actions = (...parts: string[]): string => `<div class="actions">${parts.join('')}</div>`;

const choices = Object.entries(cards).map(
  ([name, { label }], at) =>
    `<label><input type="radio" name="card" value="${name}"${at === 0 ? ' checked' : ''}> ${escaped(label)}</label>`,
);
const cardChoice = `<fieldset><legend>Card</legend>${choices.join('')}</fieldset>`;

/** Answers a page of Checkout, onboarding or the portal. `form` is undefined for a GET. */
export function answerPage(state: State, path: string, form: URLSearchParams | undefined): PageAnswer {
  const [, kind, id = '', step] = path.split('/');
  if (kind === 'pay') return checkoutPage(state, id, step, form);
  if (kind === 'onboarding' && step === undefined) return onboardingPage(state, id, form);
  if (kind === 'portal' && step === undefined) return portalPage(state, id, form);
  return notFound();
}

function checkoutPage(state: State, id: string, step: string | undefined, form: URLSearchParams | undefined): PageAnswer {
  const found = state.anywhere('checkout.session', id);
  if (found === undefined || (step !== undefined && step !== 'authenticate')) return notFound();
  const { owner, object: session } = found;
  if (session.status === 'complete') return page('You have paid already', actions(link(successUrl(session), 'Continue')));
  if (session.status === 'expired') return page('This page has expired', actions(link(session.cancel_url, 'Back')));
  if (form === undefined) return step === 'authenticate' ? authenticationPage(session) : payPage(state, session);
  try {
    if (step === 'authenticate')
      return afterAttempt(state, session, authenticate(state, owner, session, form.get('result') === 'complete'));
    const card = form.get('card');
    if (!isCardName(card)) return payPage(state, session, 'Choose a card to pay with.');
    return afterAttempt(state, session, attemptPayment(state, owner, session, card));
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error;
    return payPage(state, session, error.message);
  }
}

function afterAttempt(state: State, session: Stripe.Checkout.Session, attempt: Attempt): PageAnswer {
  if (attempt.next === 'paid') return { redirect: successUrl(session) };
  if (attempt.next === 'declined') return payPage(state, session, attempt.message);
  return { redirect: `${state.url}/pay/${session.id}/authenticate` };
}

const successUrl = (session: Stripe.Checkout.Session): string =>
  (session.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', session.id);

const priceOf = ({ amount_total, currency }: Pick<Stripe.Checkout.Session, 'amount_total' | 'currency'>): string =>
  moneyText(amount_total ?? 0, currency ?? '');

function payPage(state: State, session: Stripe.Checkout.Session, alert?: string): PageAnswer {
  const rows = (state.lineItems.get(session.id) ?? []).map(
    (item) => `<tr><td>${escaped(item.description ?? '')} × ${item.quantity}</td><td>${priceOf(item)}</td></tr>`,
  );
  const pay = `<button>Pay ${priceOf(session)}</button>`;
  return page(
    'Checkout',
    `<table>${rows.join('')}</table><form method="post" action="/pay/${session.id}">${cardChoice}${actions(pay, link(session.cancel_url, 'Back'))}</form>`,
    alert,
  );
}

function authenticationPage(session: Stripe.Checkout.Session): PageAnswer {
  const complete = '<button name="result" value="complete">Complete authentication</button>';
  const fail = '<button class="second" name="result" value="fail">Fail authentication</button>';
  const form = `<form method="post" action="/pay/${session.id}/authenticate">${actions(complete, fail)}</form>`;
  return page('3-D Secure', `<p>Your bank asks you to confirm the payment of ${priceOf(session)}.</p>${form}`);
}

function onboardingPage(state: State, token: string, form: URLSearchParams | undefined): PageAnswer {
  const found = state.onboardingLinks.get(token);
  if (found === undefined) return notFound();
  if (found.isUsed || found.expiresAt <= state.now()) return { redirect: found.refreshUrl };
  if (form === undefined) {
    const finish = '<button name="action" value="finish">Finish</button>';
    const leave = '<button class="second" name="action" value="leave">Leave</button>';
    return page('Get paid with Stripe', `<p>Account ${found.account}</p><form method="post">${actions(finish, leave)}</form>`);
  }
  found.isUsed = true;
  if (form.get('action') === 'finish') changeAccount(state, state.account(found.account), true);
  return { redirect: found.returnUrl };
}

function portalPage(state: State, id: string, form: URLSearchParams | undefined): PageAnswer {
  const found = state.anywhere('billing_portal.session', id);
  const customer = state.lookUp(found?.owner ?? null, 'customer', found?.object.customer ?? '');
  if (found === undefined || customer === undefined) return notFound();
  const { owner, object: session } = found;
  const back = actions(link(session.return_url, 'Back'));
  const configuration = state.lookUp(owner, 'billing_portal.configuration', idOf(session.configuration) ?? '');
  const method = state.lookUp(owner, 'payment_method', idOf(customer.invoice_settings.default_payment_method) ?? '');
  const current = `<p>Your card: ${method?.card === undefined ? 'none' : `Visa •••• ${method.card.last4}`}</p>`;
  if (!configuration?.features.payment_method_update.enabled) return page('Your payments', current + back);
  const card = form?.get('card');
  const decline = isCardName(card) ? cards[card].decline : undefined;
  if (isCardName(card) && decline === undefined) {
    setDefaultCard(state, owner, customer, card);
    return { redirect: session.return_url ?? session.url };
  }
  const change = `<form method="post">${cardChoice}${actions('<button>Change card</button>', link(session.return_url, 'Back'))}</form>`;
  return page('Your payments', current + change, decline?.message);
}
