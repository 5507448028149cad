import { until } from '@webkiln/store/testing';
import { decodeMessage, encodeView, partitionOf } from '../views/view.ts';
import { Commits, type Outcome } from './commits.ts';
import type { Published, ViewsPublisher } from './views-publisher.ts';

const partitions = 8;
const siteOf = (partition: number) =>
  Array.from({ length: 1000 }, (_, n) => `site-${n}`).find((name) => partitionOf(name, partitions) === partition) ?? '';
const view = (site: string, path = '/') =>
  encodeView({ site, at: 0, path, referrer: '', device: 'desktop', bot: false, visitor: 'abcdefghijklmnop', event: '' });

/** What would be sent, each message answered when the test says so. */
function commitsBefore(options: { waitingMost?: number } = {}) {
  const sent: { partition: number; views: readonly string[]; answer: (published: Published) => void }[] = [];
  const publisher = {
    isAway: false,
    publish: (partition: number, views: readonly string[]) =>
      new Promise<Published>((answer) => sent.push({ partition, views: [...views], answer })),
  };
  const commits = new Commits({ publisher: publisher as unknown as ViewsPublisher, partitions, ...options });
  const outcomes: Outcome[] = [];
  const add = (partition: number, path?: string) =>
    commits.add(siteOf(partition), view(siteOf(partition), path), { settle: (outcome) => void outcomes.push(outcome) });
  return { sent, outcomes, add, publisher };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('views of one turn are one message for each partition, and none is answered before its message is', async () => {
  const { sent, outcomes, add } = commitsBefore();
  for (const partition of [1, 2, 1, 1]) add(partition);
  expect(sent).toHaveLength(0);
  await turn();
  expect(sent.map(({ partition, views }) => [partition, views.length])).toEqual([
    [1, 3],
    [2, 1],
  ]);
  expect(outcomes).toEqual([]);
  sent[0]?.answer('stored');
  await turn();
  expect(outcomes).toEqual(['stored', 'stored', 'stored']);
});

test('a partition has one message on its way; what comes meanwhile is the next', async () => {
  const { sent, outcomes, add } = commitsBefore();
  add(1);
  await turn();
  for (let more = 0; more < 5; more++) {
    add(1);
    await turn();
  }
  expect(sent).toHaveLength(1);
  sent[0]?.answer('unavailable');
  await turn();
  expect(sent.map(({ views }) => views.length)).toEqual([1, 5]);
  expect(outcomes).toEqual(['unavailable']);
});

test('four messages are on their way in all, and the partition that waits longest is next', async () => {
  const { sent, add } = commitsBefore();
  for (const partition of [0, 1, 2, 3, 4, 5]) add(partition);
  await turn();
  expect(sent.map(({ partition }) => partition)).toEqual([0, 1, 2, 3]);
  add(2);
  sent[2]?.answer('stored');
  await turn();
  sent[0]?.answer('stored');
  await turn();
  sent[1]?.answer('stored');
  await turn();
  expect(sent.map(({ partition }) => partition)).toEqual([0, 1, 2, 3, 4, 5, 2]);
});

test('a message has at most 512 KB, and keeps the views of one request together', async () => {
  const { sent, outcomes, add } = commitsBefore();
  for (let count = 0; count < 12; count++) add(1, `/${'x'.repeat(100_000)}`);
  for (let message = 0; message < 3; message++) {
    await until(() => sent.length === message + 1);
    sent[message]?.answer('stored');
  }
  await turn();
  expect(sent.map(({ views }) => views.length)).toEqual([5, 5, 2]);
  for (const { views } of sent) expect(decodeMessage(`{"v":1,"views":[${views}]}`)).toHaveLength(views.length);
  expect(outcomes).toEqual(Array(12).fill('stored'));
});

test('what waits is bounded in bytes: more is refused at once, and taken again when there is room', async () => {
  const { sent, outcomes, add } = commitsBefore({ waitingMost: 50_000 });
  for (let count = 0; count < 20; count++) add(1);
  const refused = outcomes.length;
  expect(outcomes).toEqual(Array(refused).fill('overloaded'));
  expect(20 - refused).toBe(Math.floor(50_000 / (4096 + view(siteOf(1)).length + 1)));
  await turn();
  sent[0]?.answer('stored');
  await turn();
  add(1);
  await turn();
  expect(sent).toHaveLength(2);
});

test('while NATS is away nothing waits', () => {
  const { outcomes, add, publisher } = commitsBefore();
  publisher.isAway = true;
  add(1);
  expect(outcomes).toEqual(['unavailable']);
});
