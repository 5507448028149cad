import { theBus } from '@webkiln/events/streams';
import { withNats } from '@webkiln/events/testing';
import { useViews } from '../testing/counted-views.ts';
import { makeView } from '../testing/make-view.ts';
import { PartitionReader } from './reader.ts';

const { publish, stream } = useViews();
const batch = { batchWaitMs: 1, maxViews: 100 };
const run = { signal: new AbortController().signal, progress: () => undefined };

test('a message that NATS sent and that did not arrive is missed, although no other one follows', async () => {
  const { connection } = theBus();
  if (connection === undefined) throw new Error('NATS is disconnected');
  const reader = await PartitionReader.open(theBus(), connection, stream(), { isOwnSite: () => true, from: 0, run });
  await publish([makeView('first')]);
  expect((await reader.next(batch)).flatMap(({ views }) => views.map(({ site }) => site))).toEqual(['first']);
  await withNats(async (other) => {
    const { consumers } = await other.jetstreamManager();
    const [only] = await consumers.list(stream().name).next();
    await publish([makeView('last')]);
    await (await other.jetstream().consumers.get(stream().name, only?.name)).next({ expires: 5_000 });
  });
  await expect(reader.next(batch)).rejects.toThrow('the consumer lost a message');
  await reader.close();
});
