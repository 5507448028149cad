import Provider from 'oidc-provider';
import { isRegistered } from './clients/redirect-uri.ts';
import { secretMatches } from './store/client-store.ts';
import type { TokenTexts } from './token-texts.ts';

/** Our rules where the library has no setting: texts of tokens, redirect URIs, secrets that are stored as digests. */
export function adjustLibrary(provider: Provider, texts: TokenTexts): void {
  const create = (kind: 'access' | 'refresh') =>
    function generateTokenId(this: { format?: string }): string {
      this.format = 'opaque';
      const used = Provider.ctx?.oidc.entities.RotatedRefreshToken;
      return used === undefined ? texts.create(kind) : texts.successors(kind, used.jti)[0];
    };
  Object.assign(provider.AccessToken.prototype, { generateTokenId: create('access') });
  Object.assign(provider.RefreshToken.prototype, { generateTokenId: create('refresh') });
  Object.assign(provider.Client.prototype, {
    redirectUriAllowed(this: { redirectUris: string[] }, uri: string) {
      return isRegistered(uri, this.redirectUris);
    },
    async compareClientSecret(this: { clientSecret?: string }, given: string) {
      return secretMatches(this.clientSecret, given);
    },
  });
  provider.use(withoutSessionCookie(provider));
}

/** The library's session is not stored, so its cookie would mean nothing. */
const withoutSessionCookie = (provider: Provider): Parameters<Provider['use']>[0] => {
  const name = provider.cookieName('session');
  return async (ctx, next) => {
    await next();
    if (ctx.headerSent) return;
    if (ctx.status === 503) ctx.set('retry-after', '2');
    const cookies = [ctx.res.getHeader('set-cookie') ?? []].flat().map(String);
    ctx.remove('set-cookie');
    ctx.set(
      'set-cookie',
      cookies.filter((cookie) => !cookie.startsWith(name)),
    );
  };
};
