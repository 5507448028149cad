import { consume, consumerOf } from '@webkiln/events';
import { changeSessions, revoked } from '../sessions/embed-session-store.ts';

/** The sessions that a deleted embed client opened end. */
export const onEmbedClientDeleted = () =>
  consume({
    ...consumerOf('embed-on-embed-client-deleted'),
    atLeastOnceHandler: ({ org_id, data: { embed_client_id } }) => changeSessions({ org_id }, { embed_client_id }, revoked()),
  });
