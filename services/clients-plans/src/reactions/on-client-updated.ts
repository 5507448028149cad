import { consume } from '@webkiln/events';
import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { isPaused } from '../clients/client.ts';
import { clientById } from '../clients/client-store.ts';

const askTimeoutMs = 5_000;

/** Has the user of a client who was suspended, or has left, let in no more, until the client is back. Events come in any order: the later revision counts. */
export const onClientUpdated = () =>
  consume({
    name: 'clients-plans-user-access',
    types: ['client.updated'],
    atOnce: 4,
    act: async ({ org_id, data: { client, previous } }) => {
      if (previous.status === undefined) return;
      const current = await clientById({ org_id }, client.id);
      if (current === null) return;
      const access = { user_id: current.user_id, paused: isPaused(current), client_revision: current.revision };
      await call('identity.SetUserAccess', access, callerFor(servicePrincipal('clients-plans', org_id), { timeoutMs: askTimeoutMs }));
    },
  });
