import { connect } from 'nats';
import { encodeMessage, encodeView, type View } from '../../services/analytics/src/views/view.ts';

const messageMost = 100;

/** Puts views on a platform's stream, as ingest does with those it accepts; analytics has made the stream. */
export async function putViews(natsUrl: string, views: readonly View[]): Promise<void> {
  const connection = await connect({ servers: natsUrl });
  const stream = connection.jetstream();
  try {
    for (let from = 0; from < views.length; from += messageMost)
      await stream.publish('views', encodeMessage(views.slice(from, from + messageMost).map(encodeView)));
  } finally {
    await connection.close();
  }
}
