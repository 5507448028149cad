import { AppError } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { type Brand, brandOf } from './brand.ts';
import { page } from './page.ts';

const timeoutMs = 10_000;
const caller = () => callerFor(servicePrincipal('gateway', ''), { timeoutMs });

export interface RenderedPage {
  readonly status: number;
  readonly html: string;
}

/** The page behind an invitation's link. */
export async function showInvitation(token: string, problem?: AppError): Promise<RenderedPage> {
  const { email, has_account, accepted, org_id } = await call('clients.GetInvitation', { token }, caller());
  const brand = await brandOf(org_id);
  return accepted ? done(email, brand) : form(token, email, has_account, brand, problem);
}

/**
 * Submits the form: creates the account or signs in to it, and activates the client. An invalid password shows the
 * form again.
 */
export async function acceptInvitation(token: string, password: string): Promise<RenderedPage> {
  try {
    const { email, org_id } = await call('clients.AcceptInvitation', { token, password }, caller());
    return done(email, await brandOf(org_id));
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return showInvitation(token, error);
    throw error;
  }
}

/** Shows the error's message and never its cause. */
export function errorPage(error: unknown): RenderedPage {
  const appError = error instanceof AppError ? error : new AppError('internal');
  const title = appError.status === 404 ? 'This link has run out' : 'That did not work';
  return { status: appError.status, html: page(title, `<h1>${title}</h1>\n<p>${escapeHtml(appError.message)}</p>`) };
}

function form(token: string, email: string, hasAccount: boolean, brand: Brand, problem: AppError | undefined): RenderedPage {
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

function done(email: string, brand: Brand): RenderedPage {
  const title = 'Your account is active';
  const main = `<h1>${title}</h1>
<p>Sign in as <strong>${escapeHtml(email)}</strong> to see your websites.</p>
<a class="button" href="/sign-in">Sign in</a>`;
  return { status: 200, html: page(title, main, brand) };
}
