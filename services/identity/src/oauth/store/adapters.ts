import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { UnusedClients } from '../clients/unused-clients.ts';
import { endpoints } from '../metadata.ts';
import { scope } from '../resources.ts';
import type { TokenTexts } from '../token-texts.ts';
import { useAssertion } from './assertion-store.ts';
import { clientBy, insertClient } from './client-store.ts';
import { endGrant } from './end-grant.ts';
import { liveGrant } from './grant-store.ts';
import { deleteInteraction, interactionBy, saveInteraction } from './interaction-store.ts';
import { storedAdapter } from './stored-adapter.ts';
import { tokenAdapter } from './token-adapter.ts';

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
      resources: Object.fromEntries(resources.map((resource) => [resource, scope])),
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
