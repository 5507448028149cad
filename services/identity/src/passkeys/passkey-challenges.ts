import { randomBytes } from 'node:crypto';
import type { Signer } from '@webkiln/sealing';
import { isDuplicate } from '@webkiln/store';
import { APIError } from 'better-auth/api';
import type { setSessionCookie } from 'better-auth/cookies';
import { consumeCode } from '../sign-in/tables/challenge-store.ts';

type Context = Parameters<typeof setSessionCookie>[0];
/** A challenge is valid only for the purpose it was created for. */
type Purpose = `register for ${string}` | 'sign in';

const lifetimeSeconds = 300;
const cookieOf = (context: Context) => context.context.createAuthCookie('passkey');

const signedText = (claims: readonly string[]) => `passkey challenge ${JSON.stringify(claims)}`;

/**
 * Creates a challenge that carries its own expiry, signed for one purpose and for this browser, which a cookie
 * identifies. Opening a public sign-in page therefore writes nothing to the store, and each tab has a challenge of its
 * own.
 */
export async function createChallenge(context: Context, signer: Signer, purpose: Purpose): Promise<string> {
  const { name, attributes } = cookieOf(context);
  const { secret } = context.context;
  const browser = (await context.getSignedCookie(name, secret)) || randomBytes(16).toString('base64url');
  await context.setSignedCookie(name, browser, secret, { ...attributes, maxAge: lifetimeSeconds });
  const [until, random] = [String(Date.now() + lifetimeSeconds * 1000), randomBytes(16).toString('base64url')];
  return [until, random, signer.sign(signedText([purpose, browser, until, random]))].join('.');
}

/**
 * Returns the answered challenge, base64url, and marks it as used. Throws `CHALLENGE_EXPIRED` unless it was issued to
 * this browser.
 */
export async function consumeChallenge(
  context: Context,
  signer: Signer,
  { purpose, clientDataJSON }: { purpose: Purpose; clientDataJSON: string },
): Promise<string> {
  const { name } = cookieOf(context);
  const browser = (await context.getSignedCookie(name, context.context.secret)) || '';
  const challenge = challengeIn(clientDataJSON);
  const [until = '', random = '', signature = ''] = Buffer.from(challenge, 'base64url').toString().split('.');
  const isGenuine = signer.isSigned(signedText([purpose, browser, until, random]), signature);
  if (browser === '' || !isGenuine || Number(until) <= Date.now()) throw expired();
  await consumeCode('passkey', signature).catch((error: unknown) => {
    throw isDuplicate(error) ? expired() : error;
  });
  return challenge;
}

/** The challenge in CollectedClientData (WebAuthn §5.8.1); empty if it cannot be read. */
function challengeIn(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return String(challenge ?? '');
  } catch {
    return '';
  }
}

const expired = () => new APIError('UNAUTHORIZED', { code: 'CHALLENGE_EXPIRED', message: 'This took too long: try again' });
