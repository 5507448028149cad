import { connect } from 'nats';
import { encodeMessage, encodeView, partitionOf, usualPartitions, type View } from '../../services/analytics/src/views/view.ts';

const messageMost = 100;

/** Puts views on a platform's stream, as ingest does with those it accepts; analytics has made the stream. */
export async function putViews(natsUrl: string, views: readonly View[]): Promise<void> {
  const connection = await connect({ servers: natsUrl });
  const stream = connection.jetstream();
  const waiting = Array.from({ length: usualPartitions }, (): string[] => []);
  const flush = async (partition: number, least: number) => {
    const encoded = waiting[partition]?.splice(0) ?? [];
    if (encoded.length >= least) await stream.publish(`views.${partition}`, encodeMessage(encoded));
  };
  try {
    for (const view of views) {
      const partition = partitionOf(view.site, usualPartitions);
      if (waiting[partition]?.push(encodeView(view)) === messageMost) await flush(partition, 1);
    }
    for (let partition = 0; partition < usualPartitions; partition++) await flush(partition, 1);
  } finally {
    await connection.close();
  }
}
