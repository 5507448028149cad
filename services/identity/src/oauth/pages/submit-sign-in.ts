import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { AuthRequests } from '../../http/auth-requests.ts';
import { errorResponse, toApiResponse } from '../../http/responses.ts';
import type { FormState } from './sign-in-pages.ts';

interface Submission {
  /** Below /api/auth: "/sign-in/email". */
  readonly path: string;
  readonly body: Readonly<Record<string, string>>;
  readonly source: IncomingMessage;
  readonly response: ServerResponse;
}

type Outcome =
  | { readonly cookies: string[] /** True if the second factor is missing. */; readonly needsCode: boolean }
  | { readonly refusal: Omit<FormState, 'token'> };

/** Passes a form to the sign-in machinery, with all its limits. */
export async function submitSignIn(requests: AuthRequests, { path, body, source, response }: Submission): Promise<Outcome> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const answered = await requests({ method: 'POST', path, query: '', body, source, gone: gone.signal });
    const { status, body: text } = await toApiResponse(answered, '');
    const content = JSON.parse(text === '' ? '{}' : text) as { error?: string; twoFactorRedirect?: boolean };
    if (status >= 400) return { refusal: { status, message: content.error ?? '' } };
    return { cookies: answered.headers.getSetCookie(), needsCode: content.twoFactorRedirect === true };
  } catch (error) {
    if (response.destroyed) return { refusal: {} };
    if (error instanceof AppError) return { refusal: refusalOf(error) };
    throw error;
  }
}

function refusalOf(error: AppError): Omit<FormState, 'token'> {
  const { status, headers } = errorResponse(error, '');
  const at = headers.indexOf('Retry-After');
  const retryAfter = at === -1 ? undefined : headers[at + 1];
  return { status, message: error.message, ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }) };
}
