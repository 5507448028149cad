import { logger } from '@webkiln/runtime';
import { waitingRecords } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { closeEvents, connectEvents } from '../connection.ts';
import { NatsServer } from '../testing/nats-server.ts';
import { canMountDisks, SmallDisk } from '../testing/small-disk.ts';
import { marksOn, ownStream, record, Templates } from '../testing/template-records.ts';
import { refusedTotal } from './publish.ts';
import { startRelay } from './relay.ts';

useTestStore();

// Of the whole file: a sentence is logged once a minute, and a slow machine may bring it before its test.
const logged = [jest.spyOn(logger, 'warn'), jest.spyOn(logger, 'error')];

let options: ReturnType<typeof ownStream>;
let nats: NatsServer;
let disk: SmallDisk | undefined;
beforeEach(async () => {
  options = ownStream();
  nats = await NatsServer.notYetStarted();
});
afterEach(async () => {
  await closeEvents();
  await nats.remove();
  await disk?.remove();
  disk = undefined;
});

/** A way to leave NATS without space, and to give it space again while it does not run. */
interface Shortage {
  readonly space: string;
  /** What operators see: the reason in the metric, and the sentence in the log. */
  readonly reason: string;
  readonly sentence: RegExp;
  readonly start: () => Promise<void>;
  /** Records whose events are published before. */
  readonly publishedBefore: () => Promise<string[]>;
  readonly fill: () => void;
  readonly restart: () => Promise<void>;
}

const reservation: Shortage = {
  space: 'that it may reserve',
  reason: 'full',
  sentence: /^the stream EVENTS has no room: .* the disk of NATS$/,
  start: () => nats.start({ maxStoreMb: 8 }),
  publishedBefore: async () => [],
  fill: () => undefined,
  restart: () => nats.start(),
};

const fileSystem: Shortage = {
  space: 'on its file system',
  reason: 'silent',
  sentence: /^the stream EVENTS does not acknowledge events: .*: make room and restart NATS$/,
  start: async () => {
    disk = await SmallDisk.mount(16);
    await nats.start({ disk });
  },
  publishedBefore: async () => {
    const id = await record(1);
    await until(async () => (await waitingRecords(Templates, 1)).length === 0);
    return [id];
  },
  fill: () => disk?.fill(),
  restart: async () => {
    disk?.empty();
    await nats.start(disk && { disk });
  },
};

const refused = async (reason: string) => {
  const { values } = await refusedTotal.get();
  return values.filter(({ labels }) => labels.reason === reason).reduce((sum, { value }) => sum + value, 0);
};

test.each([reservation, ...(canMountDisks() ? [fileSystem] : [])])(
  'while NATS has no space $space, records are written and operators see it; with room every event is published once',
  async ({ reason, sentence, start, publishedBefore, fill, restart }) => {
    await start();
    await connectEvents(nats.url, 'test', options);
    startRelay();
    const first = await publishedBefore();
    fill();
    const before = await refused(reason);
    const ids = await Promise.all(Array.from({ length: 20 }, () => record(1)));
    await until(async () => (await refused(reason)) > before);
    expect(logged.flatMap(({ mock }) => mock.calls.flat())).toContainEqual(expect.stringMatching(sentence));
    expect((await waitingRecords(Templates, 100)).length).toBeGreaterThan(0);
    await nats.kill();
    await restart();
    await until(async () => (await waitingRecords(Templates, 1)).length === 0);
    const marks = await marksOn(options.stream, nats.url);
    expect(marks.toSorted()).toEqual([...first, ...ids].flatMap((id) => [`${id} 0`, `${id} 1`]).toSorted());
  },
);
