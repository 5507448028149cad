import { consumeStream } from '@webkiln/events';
import { answeredRequests, theBus } from '@webkiln/events/streams';
import { logRequests } from '../requests/request-store.ts';
import { countUsage } from '../requests/usage-store.ts';

/** Logs and counts the requests that gateways answered, each batch once. Tests pass a stream of their own. */
export function onRequestsAnswered({ stream }: { stream?: string } = {}): void {
  consumeStream(answeredRequests(theBus(), stream), {
    name: 'identity-requests',
    // Concurrent batches would write to the same usage days, and one transaction would have to be retried.
    concurrency: 1,
    transactionalHandler: async (batch, session) => {
      await logRequests(batch, session);
      await countUsage(batch, session);
    },
  });
}
