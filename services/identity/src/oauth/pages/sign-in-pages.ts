import { escapeHtml } from '@webkiln/http';
import { passkeyIds } from './assets.ts';
import { notice, type Page } from './page.ts';

/** A form of an authorization request. */
export interface FormState {
  /** Proves that the form came from our page. */
  readonly token: string;
  readonly message?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

const clientLine = (client: string) => `To connect ${client} to your organization.`;

/** Asks for the address and the password, and offers passkeys where scripts run. `email` is what was entered before. */
export const signInPage = (client: string, { token, message, ...answer }: FormState, email = ''): Page => ({
  title: 'Sign in',
  text: clientLine(client),
  main: `${notice(message)}
<form method="post">
${hidden('token', token)}
<div class="field"><label for="email">Email</label><input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(email)}"${email === '' ? ' autofocus' : ''}></div>
<div class="field"><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required${email === '' ? '' : ' autofocus'}></div>
<button class="primary" name="step" value="sign-in">Sign in</button>
</form>
<div id="${passkeyIds.offer}" class="offer" hidden>
<p class="notice" role="alert" id="${passkeyIds.problem}" hidden></p>
<button type="button">Sign in with a passkey</button>
</div>`,
  hasScript: true,
  footer: 'No account yet? <a href="/sign-up" target="_blank" rel="noopener">Sign up</a>, then reload this page.',
  ...answer,
});

/** Asks for the second factor. */
export const codePage = (client: string, { token, message, ...answer }: FormState): Page => ({
  title: 'Enter your code',
  text: clientLine(client),
  main: `${notice(message)}
<form method="post">
${hidden('token', token)}
<div class="field"><label for="code">Code of your authenticator app, or a backup code</label><input id="code" name="code" autocomplete="one-time-code" required autofocus maxlength="40" spellcheck="false" autocapitalize="off"></div>
<button class="primary" name="step" value="code">Continue</button>
</form>
<form method="post">${hidden('token', token)}<button class="link" name="step" value="sign-out">Sign in as somebody else</button></form>`,
  ...answer,
});
