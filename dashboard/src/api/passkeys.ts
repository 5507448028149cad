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
import { callAuth } from './auth.ts';
import { Problem } from './problem.ts';

const t = texts.passkeys;

const post = <T>(path: string, body: object) => callAuth<T>((auth) => auth.$fetch(`/passkey/${path}`, { method: 'POST', body }));

/** Throws a `Problem` with a readable message for an error of the browser's passkey dialog. */
function throwReadable(error: unknown): never {
  const known = error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
  throw new Problem(0, { error: known ? t.alreadyThere : t.notGiven });
}

/** Creates a passkey on this device. `password` is needed if the sign-in is not recent. */
export async function addPasskey(name: string, password?: string): Promise<void> {
  const { options } = await post<{ options: PublicKeyCredentialCreationOptionsJSON }>('register-options', { password });
  const response = await startRegistration({ optionsJSON: options }).catch(throwReadable);
  await post('register', { name, response });
}

export const removePasskey = (id: string, password?: string) => post<unknown>('remove', { id, password });

const signInOptions = () => post<{ options: PublicKeyCredentialRequestOptionsJSON }>('sign-in-options', {});

/** Asks the browser for a passkey and signs in with it. */
export async function signInByPasskey(): Promise<void> {
  const { options } = await signInOptions();
  await post('sign-in', { response: await startAuthentication({ optionsJSON: options }).catch(throwReadable) });
}

/**
 * Offers passkeys in the browser's autofill (WebAuthn conditional mediation) until `signal` aborts. Resolves to true if
 * the user signed in with one. One offer at a time: each has its own challenge, and the browser answers the newest.
 */
export async function signInByAutofill(signal: AbortSignal): Promise<boolean> {
  if (!(await browserSupportsWebAuthnAutofill()) || signal.aborted) return false;
  signal.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony());
  // The user did not ask for this, so failures stay silent.
  const response = await signInOptions()
    .then(({ options }) => (signal.aborted ? undefined : startAuthentication({ optionsJSON: options, useBrowserAutofill: true })))
    .catch(() => undefined);
  if (response === undefined || signal.aborted) return false;
  await post('sign-in', { response });
  return true;
}
