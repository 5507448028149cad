import { escapeHtml } from '@webkiln/http';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import type { RenderedPage } from './activation.ts';
import { brandOf } from './brand.ts';
import { page } from './page.ts';

const timeoutMs = 10_000;
const caller = () => callerFor(servicePrincipal('gateway', ''), { timeoutMs });

type State = 'asked' | 'agreed' | 'withdrawn';

interface Consent {
  readonly org_id: string;
  readonly state: string;
}

/** The page where the recipient of form mails agrees to them or ends them. Opening it changes nothing. */
export const showConsent = async (token: string): Promise<RenderedPage> =>
  render(token, await call('identity.OpenMailConsent', { token }, caller()));

/** Stores the answer. Repeats show the same page. */
export const answerConsent = async (token: string, agrees: boolean): Promise<RenderedPage> =>
  render(token, await call('identity.AnswerMailConsent', { token, agrees }, caller()));

const agree = { answer: 'agree', label: 'Receive these mails' };
const withdraw = { answer: 'withdraw', label: 'Stop these mails' };
const texts: Readonly<Record<State, { title: string; text: string; choices: readonly { answer: string; label: string }[] }>> = {
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

async function render(token: string, { org_id, state }: Consent): Promise<RenderedPage> {
  const brand = await brandOf(org_id);
  const { title, text, choices } = texts[state as State];
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
