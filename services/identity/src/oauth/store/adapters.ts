import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { UnusedClients } from '../clients/unused-clients.ts';
import { endpoints } from '../metadata.ts';
import { scopesOf } from '../resources.ts';
import { clientBy, insertClient, keepClient, useAssertion } from './client-store.ts';
import { audited } from './connection-store.ts';
import { liveGrant, renewGrant, revokeGrant } from './grant-store.ts';
import { deleteInteraction, interactionBy, saveInteraction } from './interaction-store.ts';
import { consumeToken, deleteTokens, insertToken, type Token, type TokenKind, type TokenTexts, tokenBy } from './token-store.ts';

/** The library's storage: MongoDB, so that every replica serves every step. Throws for models of unused features. */
export function adapters(origin: string, texts: TokenTexts, unused: UnusedClients): (model: string) => Adapter {
  const byModel = new Map<string, Adapter>([
    ['AuthorizationCode', tokenAdapter('code', texts)],
    ['RefreshToken', tokenAdapter('refresh', texts)],
    ['AccessToken', tokenAdapter('access', texts)],
    ['Grant', grants],
    ['Client', clients(unused)],
    ['Interaction', interactions(origin)],
    ['Session', noSessions],
    ['ReplayDetection', assertions],
  ]);
  return (model) => {
    const adapter = byModel.get(model);
    if (adapter === undefined) throw new Error(`the authorization server has no storage for ${model}`);
    return adapter;
  };
}

/** Grants are added by the consent page: see ../pages. */
const grants = storedAdapter({
  upsert: async () => {
    throw new Error('the consent page adds grants');
  },
  async find(id) {
    const grant = await liveGrant(id);
    if (grant === null) return undefined;
    const { account_id: accountId, client_id: clientId, resources, created_at, expires_at } = grant;
    return {
      kind: 'Grant',
      jti: id,
      accountId,
      clientId,
      resources: Object.fromEntries(resources.map((resource) => [resource, scopesOf(grant).join(' ')])),
      iat: seconds(created_at),
      exp: seconds(expires_at),
    };
  },
  destroy: endGrant,
});

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

const clients = (unused: UnusedClients) =>
  storedAdapter({
    async upsert(id, metadata) {
      await insertClient(id, metadata as Record<string, unknown>);
      await unused.afterRegistration();
    },
    find: async (id) => (await clientBy(id)) as AdapterPayload | undefined,
  });

/** Waiting requests without the parts that hold their id. */
const interactions = (origin: string) =>
  storedAdapter({
    async upsert(id, { jti: _id, returnTo: _url, ...payload }, expiresIn) {
      await saveInteraction(id, payload, new Date(Date.now() + expiresIn * 1000));
    },
    async find(id) {
      const payload = await interactionBy(id);
      return payload && { ...payload, jti: id, returnTo: `${origin}${endpoints.authorization}/${id}` };
    },
    destroy: async (id) => void (await deleteInteraction(id)),
  });

/** Client assertions that were used. The library would look first and store then, which two at once could pass. */
const assertions = storedAdapter({
  find: async () => undefined,
  async upsert(id, _payload, expiresIn) {
    const isFirst = await useAssertion(id, new Date(Date.now() + expiresIn * 1000));
    if (!isFirst) throw new errors.InvalidClientAuth('client assertion tokens must only be used once');
  },
});

/** The library's own sessions last one request: people are signed in by the session that the dashboard has, too. */
const noSessions = storedAdapter({ upsert: async () => {}, find: async () => undefined, destroy: async () => {} });

/**
 * A used refresh token may be sent again for so long: a client that lost the answer repeats its request. It gets the
 * same tokens, so a thief who does so has nothing that the client has not, and the next refresh of either reveals it.
 */
const retryMs = 30_000;

/** Codes, refresh tokens and access tokens. Every use of a used one ends its grant, and with it all of its tokens. */
function tokenAdapter(kind: TokenKind, texts: TokenTexts) {
  const stored = (text: string) => tokenBy(texts.idsOf(text), kind);

  /** True if a used refresh token is sent again by a client that has not used its successor. */
  async function isRetry({ consumed_at }: Token, text: string): Promise<boolean> {
    if (kind !== 'refresh' || consumed_at === null || Date.now() - consumed_at.getTime() > retryMs) return false;
    const successors = await Promise.all(texts.successors('refresh', text).map(stored));
    return successors.every((successor) => successor === null || successor.consumed_at === null);
  }

  return storedAdapter({
    async upsert(text, { jti: _text, ...payload }, expiresIn) {
      const grant = await liveGrant(payload.grantId ?? '');
      if (grant === null) throw new errors.InvalidGrant('the authorization was revoked');
      const expires_at = new Date(Date.now() + expiresIn * 1000);
      const { _id: grant_id, org_id } = grant;
      await insertToken(texts.idsOf(text), { kind, org_id, grant_id, payload: JSON.stringify(payload), expires_at });
      if (kind === 'refresh') await Promise.all([renewGrant(grant_id), keepClient(grant.client_id)]);
    },
    async find(text) {
      const token = await stored(text);
      if (token === null) return undefined;
      const payload: AdapterPayload = { ...JSON.parse(token.payload), jti: text };
      return token.consumed_at === null || (await isRetry(token, text)) ? payload : { ...payload, consumed: true };
    },
    async consume(text) {
      const token = await stored(text);
      if (token === null) throw new errors.InvalidGrant('it has expired');
      if (await consumeToken(token, new Date())) return;
      const current = await stored(text);
      if (current !== null && (await isRetry(current, text))) return;
      await endGrant(token.grant_id);
      throw new errors.InvalidGrant('it was used before');
    },
    destroy: async (text) => void (await deleteTokens(texts.idsOf(text))),
    revokeByGrantId: endGrant,
  });
}

/**
 * The library ends a grant when its client revokes a token and, at the token endpoint, when a used code or refresh
 * token is sent again. That is audited, and its person is told by mail: see reactions/on-account-act.ts.
 */
async function endGrant(grant_id: string): Promise<void> {
  const isReuse = Provider.ctx?.oidc.route === 'token';
  logger.info({ grant_id, is_reuse: isReuse }, 'authorization revoked; its tokens end');
  await revokeGrant(grant_id, ({ connection_id, account_id, client_name }) =>
    isReuse ? [audited('agent.token_reused', { _id: connection_id, account_id, client_name })] : [],
  );
}

/** The library's interface to the storage of one of its models. */
interface StoredModel {
  /** `expiresIn` in seconds. */
  upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void>;
  find(id: string): Promise<AdapterPayload | undefined>;
  consume?(id: string): Promise<void>;
  destroy?(id: string): Promise<void>;
  revokeByGrantId?(grantId: string): Promise<void>;
}

function unsupported(what: string) {
  return async (_id: string): Promise<never> => {
    throw new Error(`${what} is not part of this server`);
  };
}

/** The library's adapter of a model. What the model leaves out is never called: it throws. */
function storedAdapter(model: StoredModel): Adapter {
  return {
    upsert: (id, payload, expiresIn = 0) => orUnavailable(model.upsert(id, payload, expiresIn)),
    find: (id) => orUnavailable(model.find(id)),
    findByUid: async () => undefined,
    findByUserCode: unsupported('the device flow'),
    consume: (id) => orUnavailable((model.consume ?? unsupported('using up such a record'))(id)),
    destroy: (id) => orUnavailable((model.destroy ?? unsupported('deleting such a record'))(id)),
    revokeByGrantId: (id) => orUnavailable((model.revokeByGrantId ?? unsupported('revoking such a record'))(id)),
  };
}

/** Answers 503 where the library would answer 500 to a database that is away: the client repeats its request. */
export const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
    const answer = new errors.CustomOIDCProviderError('temporarily_unavailable', error.message);
    throw Object.assign(answer, { status: error.status, statusCode: error.status, cause: error });
  });
