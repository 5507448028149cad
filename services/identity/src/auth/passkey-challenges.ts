import { isDuplicate } from '@webkiln/store';
import { APIError } from 'better-auth/api';
import type { setSessionCookie } from 'better-auth/cookies';
import { takeCode } from './challenge-store.ts';

type Context = Parameters<typeof setSessionCookie>[0];
/** What a challenge was made for: it is good for nothing else. */
type Purpose = `register for ${string}` | 'sign in';

const lastsSeconds = 300;
const cookieOf = (context: Context) => context.context.createAuthCookie('passkey');

/** Binds a challenge to this browser, by a signed cookie: a page that anybody may open writes nothing to the store. */
export async function keepChallenge(context: Context, purpose: Purpose, challenge: string): Promise<void> {
  const { name, attributes } = cookieOf(context);
  const kept = JSON.stringify({ purpose, challenge, expires_at: Date.now() + lastsSeconds * 1000 });
  await context.setSignedCookie(name, kept, context.context.secret, { ...attributes, maxAge: lastsSeconds });
}

/** The challenge that this browser has to answer, which is used up by that. */
export async function takeChallenge(context: Context, purpose: Purpose): Promise<string> {
  const { name, attributes } = cookieOf(context);
  const cookie = await context.getSignedCookie(name, context.context.secret);
  const kept: { purpose?: string; challenge?: string; expires_at?: number } = cookie ? JSON.parse(cookie) : {};
  const { challenge, expires_at = 0 } = kept;
  if (challenge === undefined || kept.purpose !== purpose || expires_at <= Date.now()) throw expired();
  context.setCookie(name, '', { ...attributes, maxAge: 0 });
  await takeCode('passkey', challenge).catch((error: unknown) => {
    throw isDuplicate(error) ? expired() : error;
  });
  return challenge;
}

const expired = () => new APIError('UNAUTHORIZED', { code: 'CHALLENGE_EXPIRED', message: 'This took too long: try again' });
