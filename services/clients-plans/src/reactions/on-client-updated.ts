import { consume, consumerOf } from '@webkiln/events';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { accessOf } from '../clients/client.ts';
import { clientById } from '../clients/client-store.ts';

const callTimeoutMs = 5_000;

/**
 * Pauses the user of a client that is suspended or has left, and resumes it later. Events may arrive in any order: the
 * later revision wins.
 */
export const onClientUpdated = () =>
  consume({
    ...consumerOf('clients-plans-user-access'),
    concurrency: 4,
    atLeastOnceHandler: async ({ org_id, data: { client, previous } }) => {
      if (previous.status === undefined) return;
      const current = await clientById({ org_id }, client.id);
      if (current === null) return;
      await call('identity.SetUserAccess', accessOf(current), serviceCaller('clients-plans', org_id, callTimeoutMs));
    },
  });
