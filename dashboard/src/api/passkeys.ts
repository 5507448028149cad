import {
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser';
import { texts } from '../texts.ts';
import { authAnswer } from './auth.ts';
import { Problem } from './problem.ts';

const own = texts.passkeys;

const ask = <T>(path: string, body: object) => authAnswer<T>((auth) => auth.$fetch(`/passkey/${path}`, { method: 'POST', body }));

/** What the browser said in place of a passkey, as a person can be told of it. */
function told(error: unknown): never {
  const known = error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
  throw new Problem(0, { error: known ? own.alreadyThere : own.notGiven });
}

/** Has this device make a passkey for the account. `password`: where signing in was a while ago. */
export async function addPasskey(name: string, password?: string): Promise<void> {
  const { options } = await ask<{ options: PublicKeyCredentialCreationOptionsJSON }>('register-options', { password });
  const response = await startRegistration({ optionsJSON: options }).catch(told);
  await ask('register', { name, response });
}

export const removePasskey = (id: string, password?: string) => ask<unknown>('remove', { id, password });

const signInOptions = () => ask<{ options: PublicKeyCredentialRequestOptionsJSON }>('sign-in-options', {});

/** Asks for one of the passkeys that this browser has, and signs in with it. */
export async function signInByPasskey(): Promise<void> {
  const { options } = await signInOptions();
  await ask('sign-in', { response: await startAuthentication({ optionsJSON: options }).catch(told) });
}

/**
 * Offers them where the browser fills in the address (conditional mediation), until `signal` ends it; resolves to whether one was chosen.
 * One offer at a time: each has a challenge of its own, and the browser answers the newest.
 */
export async function signInByAutofill(signal: AbortSignal): Promise<boolean> {
  if (!(await browserSupportsWebAuthnAutofill()) || signal.aborted) return false;
  signal.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony());
  // Nobody has asked for it, so that nobody is told where it is not to be had.
  const response = await signInOptions()
    .then(({ options }) => (signal.aborted ? undefined : startAuthentication({ optionsJSON: options, useBrowserAutofill: true })))
    .catch(() => undefined);
  if (response === undefined || signal.aborted) return false;
  await ask('sign-in', { response });
  return true;
}
