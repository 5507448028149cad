/** The embed token that the page was opened with, in memory only. Undefined: the session cookie is the credential. */
let token: string | undefined;

/** Takes the token out of the address, where it would stay in history and screenshots. A new one replaces the old. */
export function takeToken(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('token');
  if (found === null) return;
  token = found;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
}

export const isEmbedded = (): boolean => token !== undefined;

/** The user's credential for requests. With a token no cookie is sent: the two may be different people. */
export function credentialOf(): { readonly headers: Readonly<Record<string, string>>; readonly credentials: RequestCredentials } {
  if (token === undefined) return { headers: {}, credentials: 'same-origin' };
  return { headers: { Authorization: `Bearer ${token}` }, credentials: 'omit' };
}
