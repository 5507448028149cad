import { agentScopes, defaultScope } from '@webkiln/contract';
import type { Outbound } from '@webkiln/outbound';
import { logger, runPeriodically, type SecretList } from '@webkiln/runtime';
import Provider, { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { accountById } from '../accounts/account-store.ts';
import { clientDocuments } from './clients/client-documents.ts';
import { assertionAlgorithms, expiresSoon } from './clients/client-keys.ts';
import { settleMetadata } from './clients/client-metadata.ts';
import { isRegistered } from './clients/redirect-uri.ts';
import type { UnusedClients } from './clients/unused-clients.ts';
import { countFailures } from './http/count-failures.ts';
import { clientAuthMethods, endpoints } from './metadata.ts';
import { lifetimes, resourcesOf } from './resources.ts';
import { adapters, orUnavailable } from './store/adapters.ts';
import { secretMatches } from './store/client-store.ts';
import { type ActiveKeys, loadKeys } from './store/rotating-keys.ts';
import type { TokenTexts } from './store/token-store.ts';

const reloadMs = 60_000;

type Handle = ReturnType<Provider['callback']>;

/** The authorization server with the keys of the moment: a rotation makes a new one, which the next request gets. */
export class CurrentProvider {
  #provider: Provider;
  #handle: Handle;
  #version: string;
  readonly #stop: () => void;

  private constructor(provider: Provider, version: string, reload: () => Promise<void>) {
    this.#provider = provider;
    this.#handle = provider.callback();
    this.#version = version;
    this.#stop = runPeriodically({ everyMs: reloadMs, name: 'reading the keys of the authorization server' }, reload);
  }

  get current(): Provider {
    return this.#provider;
  }

  /** Serves a request by the library. */
  get handle(): Handle {
    return this.#handle;
  }

  stop(): void {
    this.#stop();
  }

  /** Reads the keys, and makes them if this is the first start. */
  static async start(options: ProviderOptions, secrets: SecretList): Promise<CurrentProvider> {
    const keys = await loadKeys(secrets);
    const server: CurrentProvider = new CurrentProvider(createProvider(options, keys), keys.version, async () => {
      const latest = await loadKeys(secrets);
      if (latest.version === server.#version) return;
      server.#provider = createProvider(options, latest);
      server.#handle = server.#provider.callback();
      server.#version = latest.version;
    });
    return server;
  }
}

/** Client metadata that the library does not know; it asks our rules about all of them once per client. */
const ownMetadata = 'software_id';

interface ProviderOptions {
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
function createProvider({ origin, texts, unused, outbound, mayFetch, renderError }: ProviderOptions, keys: ActiveKeys): Provider {
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
          return { scope: agentScopes.join(' '), audience: resource, accessTokenFormat: 'opaque', accessTokenTTL: lifetimes.accessToken };
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
    scopes: [...agentScopes],
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

/** Our rules where the library has no setting: texts of tokens, redirect URIs, secrets that are stored as digests. */
function adjustLibrary(provider: Provider, texts: TokenTexts): void {
  const create = (kind: 'access' | 'refresh') =>
    function generateTokenId(this: { format?: string }): string {
      this.format = 'opaque';
      const used = Provider.ctx?.oidc.entities.RotatedRefreshToken;
      return used === undefined ? texts.create(kind) : texts.successors(kind, used.jti)[0];
    };
  Object.assign(provider.AccessToken.prototype, { generateTokenId: create('access') });
  Object.assign(provider.RefreshToken.prototype, { generateTokenId: create('refresh') });
  const { metadata } = provider.Client.prototype;
  Object.assign(provider.Client.prototype, {
    /** What a registration is answered: what clients ask for by themselves. */
    metadata() {
      return { ...metadata.call(this), scope: defaultScope };
    },
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

/** Our page decides whether to ask, because it remembers consents; library sessions last one request. */
function consentPolicy() {
  const consent = new interactionPolicy.Prompt(
    { name: 'consent', requestable: true },
    new interactionPolicy.Check(
      'undecided',
      'the person has not decided yet',
      'interaction_required',
      ({ oidc }) => oidc.result?.consent === undefined,
    ),
  );
  const prompts = interactionPolicy.base();
  prompts.clear();
  prompts.add(consent);
  return prompts;
}
