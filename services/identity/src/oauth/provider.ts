import type { Outbound } from '@webkiln/outbound';
import { logger } from '@webkiln/runtime';
import Provider, { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { accountById } from '../accounts/account-store.ts';
import { adjustLibrary } from './adjust-library.ts';
import { clientDocuments } from './clients/client-documents.ts';
import { assertionAlgorithms, expiresSoon } from './clients/client-keys.ts';
import { settleMetadata } from './clients/client-metadata.ts';
import type { UnusedClients } from './clients/unused-clients.ts';
import { consentPolicy } from './consent-policy.ts';
import { countFailures } from './http/count-failures.ts';
import { clientAuthMethods, endpoints } from './metadata.ts';
import { lifetimes, resourcesOf, scope } from './resources.ts';
import { adapters } from './store/adapters.ts';
import type { ActiveKeys } from './store/rotating-keys.ts';
import { orUnavailable } from './store/stored-adapter.ts';
import type { TokenTexts } from './token-texts.ts';

/** Client metadata that the library does not know; it asks our rules about all of them once per client. */
const ownMetadata = 'software_id';

export interface ProviderOptions {
  readonly origin: string;
  readonly texts: TokenTexts;
  readonly unused: UnusedClients;
  readonly outbound: Outbound;
  /** False if the network of a request had too many client documents fetched. */
  readonly mayFetch: (request: KoaContextWithOIDC['req']) => Promise<boolean>;
  /** Sends an error page for requests that cannot be redirected back. */
  readonly renderError: (ctx: KoaContextWithOIDC, error: Error) => void;
}

const assertJwtClientAuthClaimsAndHeader: Configuration['assertJwtClientAuthClaimsAndHeader'] = (_ctx, { exp }) => {
  if (!expiresSoon(exp, Date.now() / 1000)) throw new errors.InvalidClientAuth('the client assertion must expire within an hour');
};

/**
 * The authorization server: oidc-provider on our storage. `keys` changes with each rotation, and with it the server.
 */
export function createProvider({ origin, texts, unused, outbound, mayFetch, renderError }: ProviderOptions, keys: ActiveKeys): Provider {
  const resources = resourcesOf(origin);
  const [defaultResource = origin] = resources;
  const isOff = { enabled: false };
  const configuration = {
    adapter: adapters(origin, texts, unused),
    assertJwtClientAuthClaimsAndHeader,
    clientAuthMethods: [...clientAuthMethods],
    clientBasedCORS: () => true,
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    claims: { acr: null, sid: null, auth_time: null, iss: null },
    cookies: {
      keys: [...keys.cookies],
      names: { session: 'webkiln_oauth_session', interaction: 'webkiln_oauth_request', resume: 'webkiln_oauth_resume' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'], clientAuthSigningAlgValues: [...assertionAlgorithms] },
    expiresWithSession: async () => false,
    extraClientMetadata: { properties: [ownMetadata], validator: (_ctx, _key, _value, metadata) => settleMetadata(metadata as never) },
    features: {
      ...{ devInteractions: isOff, dPoP: isOff, pushedAuthorizationRequests: isOff, rpInitiatedLogout: isOff, userinfo: isOff },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async (_ctx, _client, requested) => [requested ?? defaultResource].flat()[0] ?? defaultResource,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_ctx, resource) => {
          if (!resources.includes(resource)) throw new errors.InvalidTarget(`resource must be ${resources.join(' or ')}`);
          return { scope, audience: resource, accessTokenFormat: 'opaque', accessTokenTTL: lifetimes.accessToken };
        },
      },
    },
    fetch: clientDocuments({
      outbound,
      // Outside a request of the library, one of our pages reads a document again.
      mayFetch: async () => Provider.ctx === undefined || mayFetch(Provider.ctx.req),
      isKeySet: (url) => url === URL.parse(Provider.ctx?.oidc.client?.jwksUri ?? '')?.href,
    }) as typeof fetch,
    findAccount: async (_ctx, accountId) => {
      const account = await orUnavailable(accountById(accountId));
      if (account === null || account.locked_at || account.deleted_at) return undefined;
      return { accountId, claims: async () => ({ sub: accountId }) };
    },
    interactions: { policy: consentPolicy(), url: (_ctx, { uid }) => `/oauth/interaction/${uid}` },
    issueRefreshToken: async () => true,
    jwks: { keys: keys.signing.map((key) => ({ ...key, use: 'sig', alg: 'ES256' })) },
    loadExistingGrant: async (ctx) => ctx.oidc.provider.Grant.find(ctx.oidc.result?.consent?.grantId ?? ''),
    pkce: { required: () => true },
    renderError: async (ctx, _out, error) => renderError(ctx, error),
    responseTypes: ['code'],
    rotateRefreshToken: () => true,
    routes: endpoints,
    scopes: [scope],
    ttl: {
      AccessToken: lifetimes.accessToken,
      AuthorizationCode: lifetimes.code,
      Grant: lifetimes.refreshToken,
      Interaction: lifetimes.interaction,
      RefreshToken: lifetimes.refreshToken,
      Session: lifetimes.interaction,
    },
  } as Configuration;
  const provider = new Provider(origin, configuration);
  // The listener states the public address; see oauth-listener.ts.
  provider.proxy = true;
  adjustLibrary(provider, texts);
  provider.use(countFailures);
  provider.on('server_error', (_ctx, error) =>
    logger.error({ err: error }, 'authorization server failed; the client was answered server_error'),
  );
  return provider;
}
