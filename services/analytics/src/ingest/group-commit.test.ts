import { until } from '@webkiln/store/testing';
import { makeView } from '../testing/make-view.ts';
import { decodeMessage, encodeMessage, encodeView } from '../views/view.ts';
import { type CommitOutcome, GroupCommit } from './group-commit.ts';
import type { PublishResult, ViewsPublisher } from './views-publisher.ts';

const view = (site: string, path = '/') => encodeView(makeView(site, { path }));

/** A group commit whose published messages are recorded, and acknowledged when the test says so. */
function testGroupCommit(options: { maxPendingBytes?: number } = {}) {
  const sent: { views: readonly string[]; answer: (published: PublishResult) => void }[] = [];
  const publisher = {
    isDisconnected: false,
    publish: (views: readonly string[]) => new Promise<PublishResult>((answer) => sent.push({ views: [...views], answer })),
  };
  const groupCommit = new GroupCommit({ publisher: publisher as unknown as ViewsPublisher, ...options });
  const outcomes: CommitOutcome[] = [];
  const add = (site: string, path?: string) => groupCommit.add(view(site, path), { settle: (outcome) => void outcomes.push(outcome) });
  return { sent, outcomes, add, publisher };
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test('views of one event-loop tick share one message, whatever their site, and none is answered before the message is acknowledged', async () => {
  const { sent, outcomes, add } = testGroupCommit();
  const sites = ['shop', 'other', 'shop', 'third'];
  for (const site of sites) add(site);
  expect(sent).toHaveLength(0);
  await nextTick();
  expect(sent.map(({ views }) => decodeMessage(encodeMessage(views)).map(({ site }) => site))).toEqual([sites]);
  expect(outcomes).toEqual([]);
  sent[0]?.answer('stored');
  await nextTick();
  expect(outcomes).toEqual(Array(4).fill('stored'));
});

test('only one message is in flight; views that arrive meanwhile go into the next', async () => {
  const { sent, outcomes, add } = testGroupCommit();
  add('shop');
  await nextTick();
  for (const site of ['shop', 'other', 'shop', 'third', 'shop']) {
    add(site);
    await nextTick();
  }
  expect(sent).toHaveLength(1);
  sent[0]?.answer('unavailable');
  await nextTick();
  expect(sent.map(({ views }) => views.length)).toEqual([1, 5]);
  expect(outcomes).toEqual(['unavailable']);
  sent[1]?.answer('stored');
  await nextTick();
  add('shop');
  await nextTick();
  expect(sent.map(({ views }) => views.length)).toEqual([1, 5, 1]);
});

test('a message holds at most 512 KB and never splits the views of one request', async () => {
  const { sent, outcomes, add } = testGroupCommit();
  for (let count = 0; count < 12; count++) add('shop', `/${'x'.repeat(100_000)}`);
  for (let message = 0; message < 3; message++) {
    await until(() => sent.length === message + 1);
    sent[message]?.answer('stored');
  }
  await nextTick();
  expect(sent.map(({ views }) => views.length)).toEqual([5, 5, 2]);
  for (const { views } of sent) expect(decodeMessage(encodeMessage(views))).toHaveLength(views.length);
  expect(outcomes).toEqual(Array(12).fill('stored'));
});

test('pending views are limited in bytes: excess views are refused at once, and accepted again when there is room', async () => {
  const { sent, outcomes, add } = testGroupCommit({ maxPendingBytes: 50_000 });
  for (let count = 0; count < 20; count++) add('shop');
  const refused = outcomes.length;
  expect(outcomes).toEqual(Array(refused).fill('overloaded'));
  expect(20 - refused).toBe(Math.floor(50_000 / (4096 + view('shop').length + 1)));
  await nextTick();
  sent[0]?.answer('stored');
  await nextTick();
  add('shop');
  await nextTick();
  expect(sent).toHaveLength(2);
});

test('nothing waits while NATS is disconnected', () => {
  const { outcomes, add, publisher } = testGroupCommit();
  publisher.isDisconnected = true;
  add('shop');
  expect(outcomes).toEqual(['unavailable']);
});
