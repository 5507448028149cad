/** The ids of the parts of the sign-in page that the script shows, and where it reports a refusal. */
export const passkeyIds = { offer: 'passkey', problem: 'passkey-problem' } as const;

/**
 * Offers passkeys on the sign-in page, by the routes that the dashboard uses. A browser that cannot convert their JSON
 * (WebAuthn 3 §5.1) shows no offer.
 */
export const passkeyScript = `'use strict';
const offer = document.getElementById('${passkeyIds.offer}');
const problem = document.getElementById('${passkeyIds.problem}');
let isBusy = false;

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/api/auth/passkey/' + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const content = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error((content.error || 'That did not work: try again in a moment').replace(/[.]?$/, '.'));
  return content;
}

async function signIn() {
  const { options } = await post('sign-in-options', {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (credential === null) throw new Error('No passkey was given. Try again, or use your password.');
  await post('sign-in', { response: credential.toJSON() });
}

offer.querySelector('button').addEventListener('click', async () => {
  if (isBusy) return;
  isBusy = true;
  problem.hidden = true;
  try {
    await signIn();
    location.replace(location.pathname);
  } catch (error) {
    problem.textContent = error instanceof TypeError ? 'The server was not reached: try again in a moment.' : error.message;
    problem.hidden = false;
  }
  isBusy = false;
});

if (typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function') offer.hidden = false;
`;
