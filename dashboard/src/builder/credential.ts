/** The embed token that the page was opened with, in memory only. */
let token: string | undefined;
/** Pages of this embed client may show the builder in a frame, so a person's own session must do nothing here. */
const isForEmbedClient = new URLSearchParams(location.search).has('e');

/** Takes the token out of the address, where it would stay in history and screenshots. A new one replaces the old. */
export function takeToken(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('token');
  if (found === null) return;
  token = found;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
}

export const isEmbedded = (): boolean => isForEmbedClient || token !== undefined;

/** The user's credential for requests: the token or the session cookie; the two may be different people. */
export function credentialOf(): { readonly headers: Readonly<Record<string, string>>; readonly credentials: RequestCredentials } {
  if (!isEmbedded()) return { headers: {}, credentials: 'same-origin' };
  return { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` }, credentials: 'omit' };
}
