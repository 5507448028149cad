import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, baseScope, sessionDigest } from '@webkiln/contract';
import { readBytes } from '@webkiln/http';
import type { SecretList } from '@webkiln/runtime';
import { organizationKeys, signer } from '@webkiln/sealing';
import { languageOf } from '@webkiln/texts';
import type Provider from 'oidc-provider';
import type { KeyHash } from '../../keys/key-secret.ts';
import type { AuthRequests } from '../../sign-in/http/auth-requests.ts';
import { errorResponse, toApiResponse } from '../../sign-in/http/responses.ts';
import { pageTexts } from '../../texts.ts';
import { type AuthorizationRequest, authorizationRequest } from './authorization-request.ts';
import { allow, connectable, nextStep, signedInAccount } from './next-step.ts';
import { deadEnd, sendPage } from './page.ts';
import { reachIn } from './reach-field.ts';
import type { FormState } from './sign-in-pages.ts';

const maxBodyBytes = 16 * 1024;
const codeStep = '?step=code';

interface Options {
  readonly secrets: SecretList;
  readonly hashOf: KeyHash;
  readonly requests: AuthRequests;
}

interface Visit {
  readonly provider: Provider;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly asked: AuthorizationRequest;
  readonly path: string;
}

/** Sign-in, second factor and consent of an authorization request: plain pages that work without script. */
export class InteractionPages {
  readonly #tokens;
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
    this.#tokens = formTokens(options.secrets);
  }

  async handle(
    provider: Provider,
    request: IncomingMessage,
    response: ServerResponse,
    { uid, query }: { uid: string; query: string },
  ): Promise<void> {
    const asked = await authorizationRequest(provider, request, response, uid);
    if (asked === undefined) return sendPage(response, deadEnd(languageOf(request.headers), 'expired'));
    const visit = { provider, request, response, asked, path: `/oauth/interaction/${uid}` };
    if (request.method === 'GET') return this.#show(visit, query === codeStep);
    const form = await formOf(request);
    const isOwnForm = this.#tokens.matches(form.get('token') ?? '', uid, sessionOf(request));
    const site = request.headers['sec-fetch-site'] ?? 'same-origin';
    if (!isOwnForm || site !== 'same-origin') return this.#show(visit, false, { status: 403, message: refusalsFor(request).outdated });
    await this.#submit(visit, form);
  }

  async #submit(visit: Visit, form: URLSearchParams): Promise<void> {
    const text = (name: string) => form.get(name) ?? '';
    const code = text('code').replaceAll(/\s/g, '');
    switch (text('step')) {
      case 'sign-in':
        return this.#authenticate(visit, '/sign-in/email', { email: text('email').trim(), password: text('password') });
      case 'code':
        return this.#authenticate(visit, /^\d{6}$/.test(code) ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code', { code });
      case 'sign-out':
        return this.#authenticate(visit, '/sign-out', {});
      case 'decide':
        return this.#decide(visit, form);
      default:
        return this.#show(visit, false);
    }
  }

  async #authenticate(visit: Visit, path: string, body: Record<string, string>): Promise<void> {
    const { request, response } = visit;
    const outcome = await submitSignIn(this.#options.requests, { path, body, source: request, response });
    if (response.destroyed) return;
    if ('refusal' in outcome) return this.#show(visit, path.startsWith('/two-factor'), outcome.refusal, body.email);
    response.appendHeader('set-cookie', outcome.cookies);
    const location = visit.path + (outcome.needsCode ? codeStep : '');
    response.writeHead(303, { Location: location, 'Content-Length': 0, 'Cache-Control': 'no-store' }).end();
  }

  async #show(visit: Visit, needsCode: boolean, state: Refusal = {}, email?: string): Promise<void> {
    const { request, response, asked } = visit;
    const form = { ...state, language: languageOf(request.headers), token: this.#tokens.create(asked.uid, sessionOf(request)) };
    const page = await nextStep({ request, asked, hashOf: this.#options.hashOf, form, needsCode, email });
    sendPage(response, page, asked.redirectUri);
  }

  async #decide(visit: Visit, form: URLSearchParams): Promise<void> {
    const { request, asked } = visit;
    const [decision, membershipId] = [form.get('decision'), form.get('membership')];
    if (decision === 'deny') return this.#finish(visit, { error: 'access_denied', error_description: 'the person did not allow it' });
    const account = await signedInAccount(request, this.#options.hashOf);
    const membership = account && (await connectable(account._id)).find(({ id }) => id === membershipId);
    if (decision !== 'allow' || account === undefined || membership === undefined) {
      return this.#show(visit, false, { status: 400, message: refusalsFor(request).noChoice });
    }
    const allowed = asked.scopes.filter((scope) => form.getAll('scope').includes(scope));
    const scopes = allowed.length === 0 ? [baseScope] : allowed;
    const reach = reachIn(form);
    // A client's user has no clients.
    if (reach === undefined || (reach.limited_client_id !== null && membership.kind === 'user'))
      return this.#show(visit, false, { status: 400, message: refusalsFor(request).noReach });
    const extent = { scopes, ...reach };
    const grantId = await allow({ asked, request, hashOf: this.#options.hashOf }, account._id, membership, extent);
    if (grantId === undefined) sendPage(visit.response, deadEnd(languageOf(request.headers), 'gone'));
    else await this.#finish(visit, { login: { accountId: account._id }, consent: { grantId } });
  }

  #finish({ provider, request, response }: Visit, result: Parameters<Provider['interactionFinished']>[2]): Promise<void> {
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
}

const sessionOf = ({ headers }: IncomingMessage) => sessionDigest(headers.cookie) ?? '';

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes === undefined) throw new AppError('body_too_large');
  return new URLSearchParams(bytes.toString());
}

interface Submission {
  /** Below /api/auth: "/sign-in/email". */
  readonly path: string;
  readonly body: Readonly<Record<string, string>>;
  readonly source: IncomingMessage;
  readonly response: ServerResponse;
}

type Refusal = Omit<FormState, 'token' | 'language'>;

const refusalsFor = ({ headers }: IncomingMessage) => pageTexts[languageOf(headers)].refusals;

/** What the page says of an error with this code; undefined if it has the API's own sentence. */
function sentenceOf(code = '', source: IncomingMessage): string | undefined {
  const sentences: Readonly<Record<string, string | undefined>> = refusalsFor(source);
  return sentences[code];
}

type Outcome =
  | { readonly cookies: string[] /** True if the second factor is missing. */; readonly needsCode: boolean }
  | { readonly refusal: Refusal };

/** Passes a form to the sign-in machinery, with all its limits. */
async function submitSignIn(requests: AuthRequests, { path, body, source, response }: Submission): Promise<Outcome> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const answered = await requests({ method: 'POST', path, query: '', body, source, gone: gone.signal });
    const { status, body: text } = await toApiResponse(answered, '');
    const content = JSON.parse(text === '' ? '{}' : text) as { error?: string; code?: string; twoFactorRedirect?: boolean };
    if (status >= 400) return { refusal: { status, message: sentenceOf(content.code, source) ?? content.error ?? '' } };
    return { cookies: answered.headers.getSetCookie(), needsCode: content.twoFactorRedirect === true };
  } catch (error) {
    if (response.destroyed) return { refusal: {} };
    if (error instanceof AppError) return { refusal: refusalOf(error, source) };
    throw error;
  }
}

function refusalOf(error: AppError, source: IncomingMessage): Refusal {
  const { status, headers } = errorResponse(error, '');
  const at = headers.indexOf('Retry-After');
  const retryAfter = at === -1 ? undefined : headers[at + 1];
  return {
    status,
    message: sentenceOf(error.code, source) ?? error.message,
    ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }),
  };
}

/** Tokens that prove that a form came from our page, for this request and this session (against CSRF). */
interface FormTokens {
  /** `session` is the digest of the session cookie; empty without one. */
  create(uid: string, session: string): string;
  matches(token: string, uid: string, session: string): boolean;
}

function formTokens(secrets: SecretList): FormTokens {
  const { sign, isSigned } = signer(organizationKeys(secrets, 'forms of the authorization server'));
  return {
    create: (uid, session) => sign(`${uid} ${session}`),
    matches: (token, uid, session) => isSigned(`${uid} ${session}`, token),
  };
}
