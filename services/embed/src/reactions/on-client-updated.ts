import { consume, consumerOf } from '@webkiln/events';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { changeSessions } from '../sessions/embed-session-store.ts';

const timeoutMs = 5000;
const pausedStatuses: ReadonlySet<string | undefined> = new Set(['suspended', 'churned']);

/** Pauses or resumes a client's sessions with the client. Events come in any order, so the present status is read. */
export const onClientUpdated = () =>
  consume({
    ...consumerOf('embed-on-client-updated'),
    atLeastOnceHandler: async ({ org_id, data: { client, previous } }) => {
      if (previous.status === undefined) return;
      const caller = serviceCaller('embed', org_id, timeoutMs);
      const current = await call('clients.GetClient', { client_id: client.id }, caller);
      const paused = pausedStatuses.has(current.client?.status);
      await changeSessions({ org_id }, { org_client_id: client.id, paused: !paused }, { paused });
    },
  });
