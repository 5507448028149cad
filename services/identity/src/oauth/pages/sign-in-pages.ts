import type { Language } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { pageTexts } from '../../texts.ts';
import { passkeyIds } from './assets.ts';
import { notice, type Page, passkeyScriptPath } from './page.ts';

/** A form of an authorization request. */
export interface FormState {
  readonly language: Language;
  /** Proves that the form came from our page. */
  readonly token: string;
  readonly message?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** Asks for the address and the password, and offers passkeys where scripts run. `email` is what was entered before. */
export function signInPage(client: string, { token, message, ...answer }: FormState, email = ''): Page {
  const t = pageTexts[answer.language].signIn;
  return {
    title: t.title,
    text: t.toConnect({ client }),
    main: `${notice(message)}
<form method="post">
${hidden('token', token)}
<div class="field"><label for="email">${t.email}</label><input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(email)}"${email === '' ? ' autofocus' : ''}></div>
<div class="field"><label for="password">${t.password}</label><input id="password" name="password" type="password" autocomplete="current-password" required${email === '' ? '' : ' autofocus'}></div>
<button class="primary" name="step" value="sign-in">${t.submit}</button>
</form>
<div id="${passkeyIds.offer}" class="offer" hidden data-no-passkey="${escapeHtml(t.noPasskey)}" data-passkey-refused="${escapeHtml(t.passkeyRefused)}" data-failed="${escapeHtml(t.failed)}" data-unreachable="${escapeHtml(t.unreachable)}">
<p class="notice" role="alert" id="${passkeyIds.problem}" hidden></p>
<button type="button">${t.passkey}</button>
</div>`,
    script: passkeyScriptPath,
    footer: `${t.noAccount} <a href="/sign-up" target="_blank" rel="noopener">${t.signUp}</a>. ${t.thenReload}`,
    ...answer,
  };
}

/** Asks for the second factor. */
export function codePage(client: string, { token, message, ...answer }: FormState): Page {
  const t = pageTexts[answer.language].code;
  return {
    title: t.title,
    text: pageTexts[answer.language].signIn.toConnect({ client }),
    main: `${notice(message)}
<form method="post">
${hidden('token', token)}
<div class="field"><label for="code">${t.label}</label><input id="code" name="code" autocomplete="one-time-code" required autofocus maxlength="40" spellcheck="false" autocapitalize="off"></div>
<button class="primary" name="step" value="code">${t.submit}</button>
</form>
<form method="post">${hidden('token', token)}<button class="link" name="step" value="sign-out">${t.other}</button></form>`,
    ...answer,
  };
}
