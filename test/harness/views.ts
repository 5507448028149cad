import { serverOf } from '@webkiln/events/listening';
import { connect } from 'nats';
import { encodeMessage, encodeView, type View } from '../../services/analytics/src/views/view.ts';

const maxViewsPerMessage = 100;

/** Publishes views to the stream of analytics, as ingest does with the views that it accepts. */
export async function publishViews(natsUrl: string, views: readonly View[]): Promise<void> {
  const connection = await connect(serverOf(natsUrl));
  const stream = connection.jetstream();
  try {
    for (let from = 0; from < views.length; from += maxViewsPerMessage)
      await stream.publish('views', encodeMessage(views.slice(from, from + maxViewsPerMessage).map(encodeView)));
  } finally {
    await connection.close();
  }
}
