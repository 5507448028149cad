import { consumeStream } from '@webkiln/events';
import { answeredRequests, theBus } from '@webkiln/events/streams';
import { logRequests } from '../requests/request-store.ts';
import { countUsage } from '../requests/usage-store.ts';

/** Keeps what gateways answered, and counts it, each batch once; `stream` is the name of a test's own. */
export function onRequestsAnswered({ stream }: { stream?: string } = {}): void {
  consumeStream(answeredRequests(theBus(), stream), {
    name: 'identity-requests',
    // Two at once would write to the same days, and one of them begin again.
    atOnce: 1,
    effect: async (batch, session) => {
      await logRequests(batch, session);
      await countUsage(batch, session);
    },
  });
}
