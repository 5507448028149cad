import { waitingRecords } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { closeEvents, connectEvents } from '../connection.ts';
import { NatsServer } from '../testing/nats-server.ts';
import { marksOn, ownStream, record, Templates } from '../testing/template-records.ts';
import { refusedTotal } from './refusals.ts';
import { startRelay } from './relay.ts';

useTestStore();

const options = ownStream();
let nats: NatsServer;
beforeEach(async () => {
  nats = await NatsServer.notYetStarted();
});
afterEach(async () => {
  await closeEvents();
  await nats.remove();
});

const refused = async (reason: string) => {
  const { values } = await refusedTotal.get();
  return values.filter(({ labels }) => labels.reason === reason).reduce((sum, { value }) => sum + value, 0);
};

test('while NATS has no disk space, records are written and operators see it; with room every event is published once', async () => {
  await nats.start({ maxStoreMb: 8 });
  await connectEvents(nats.url, 'test', options);
  startRelay();
  const before = await refused('full');
  const ids = await Promise.all(Array.from({ length: 20 }, () => record(1)));
  await until(async () => (await refused('full')) > before);
  expect(await waitingRecords(Templates, 100)).toHaveLength(20);
  await nats.kill();
  await nats.start();
  await until(async () => (await waitingRecords(Templates, 1)).length === 0);
  const marks = await marksOn(options.stream, nats.url);
  expect(marks.toSorted()).toEqual(ids.flatMap((id) => [`${id} 0`, `${id} 1`]).toSorted());
});
