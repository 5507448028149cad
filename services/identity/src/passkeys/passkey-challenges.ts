import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isDuplicate } from '@webkiln/store';
import { APIError } from 'better-auth/api';
import type { setSessionCookie } from 'better-auth/cookies';
import { takeCode } from './challenge-store.ts';

type Context = Parameters<typeof setSessionCookie>[0];
/** What a challenge was made for: it is good for nothing else. */
type Purpose = `register for ${string}` | 'sign in';

const lastsSeconds = 300;
const cookieOf = (context: Context) => context.context.createAuthCookie('passkey');

const sealOf = (context: Context, said: readonly string[]) =>
  createHmac('sha256', context.context.secret)
    .update(`passkey challenge ${JSON.stringify(said)}`)
    .digest('base64url');

/**
 * A challenge that itself says until when it lasts, sealed for a purpose and for this browser, which a cookie tells: a page that anybody
 * may open writes nothing to the store, and of several tabs each has its own.
 */
export async function makeChallenge(context: Context, purpose: Purpose): Promise<string> {
  const { name, attributes } = cookieOf(context);
  const { secret } = context.context;
  const browser = (await context.getSignedCookie(name, secret)) || randomBytes(16).toString('base64url');
  await context.setSignedCookie(name, browser, secret, { ...attributes, maxAge: lastsSeconds });
  const [until, random] = [String(Date.now() + lastsSeconds * 1000), randomBytes(16).toString('base64url')];
  return [until, random, sealOf(context, [purpose, browser, until, random])].join('.');
}

/** The challenge that a client's data answers, base64url, if it was this browser's; it is used up by that. */
export async function takeChallenge(context: Context, purpose: Purpose, clientDataJSON: string): Promise<string> {
  const { name } = cookieOf(context);
  const browser = (await context.getSignedCookie(name, context.context.secret)) || '';
  const challenge = challengeIn(clientDataJSON);
  const [until = '', random = '', seal = ''] = Buffer.from(challenge, 'base64url').toString().split('.');
  const expected = sealOf(context, [purpose, browser, until, random]);
  if (browser === '' || !isSame(seal, expected) || Number(until) <= Date.now()) throw expired();
  await takeCode('passkey', seal).catch((error: unknown) => {
    throw isDuplicate(error) ? expired() : error;
  });
  return challenge;
}

/** The challenge in CollectedClientData (WebAuthn §5.8.1); empty where there is none. */
function challengeIn(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return String(challenge ?? '');
  } catch {
    return '';
  }
}

const isSame = (one: string, other: string) => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const expired = () => new APIError('UNAUTHORIZED', { code: 'CHALLENGE_EXPIRED', message: 'This took too long: try again' });
