import { until } from '@webkiln/store/testing';
import { decodeMessage, encodeMessage, encodeView } from '../views/view.ts';
import { Commits, type Outcome } from './commits.ts';
import type { Published, ViewsPublisher } from './views-publisher.ts';

const view = (site: string, path = '/') =>
  encodeView({ site, at: 0, path, referrer: '', device: 'desktop', bot: false, visitor: 'abcdefghijklmnop', event: '' });

/** What would be sent, each message answered when the test says so. */
function commitsBefore(options: { waitingMost?: number } = {}) {
  const sent: { views: readonly string[]; answer: (published: Published) => void }[] = [];
  const publisher = {
    isAway: false,
    publish: (views: readonly string[]) => new Promise<Published>((answer) => sent.push({ views: [...views], answer })),
  };
  const commits = new Commits({ publisher: publisher as unknown as ViewsPublisher, ...options });
  const outcomes: Outcome[] = [];
  const add = (site: string, path?: string) => commits.add(view(site, path), { settle: (outcome) => void outcomes.push(outcome) });
  return { sent, outcomes, add, publisher };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('views of one turn are one message, of whatever sites they are, and none is answered before its message is', async () => {
  const { sent, outcomes, add } = commitsBefore();
  const sites = ['shop', 'other', 'shop', 'third'];
  for (const site of sites) add(site);
  expect(sent).toHaveLength(0);
  await turn();
  expect(sent.map(({ views }) => decodeMessage(encodeMessage(views)).map(({ site }) => site))).toEqual([sites]);
  expect(outcomes).toEqual([]);
  sent[0]?.answer('stored');
  await turn();
  expect(outcomes).toEqual(Array(4).fill('stored'));
});

test('one message is on its way; what comes meanwhile is the next', async () => {
  const { sent, outcomes, add } = commitsBefore();
  add('shop');
  await turn();
  for (const site of ['shop', 'other', 'shop', 'third', 'shop']) {
    add(site);
    await turn();
  }
  expect(sent).toHaveLength(1);
  sent[0]?.answer('unavailable');
  await turn();
  expect(sent.map(({ views }) => views.length)).toEqual([1, 5]);
  expect(outcomes).toEqual(['unavailable']);
  sent[1]?.answer('stored');
  await turn();
  add('shop');
  await turn();
  expect(sent.map(({ views }) => views.length)).toEqual([1, 5, 1]);
});

test('a message has at most 512 KB, and keeps the views of one request together', async () => {
  const { sent, outcomes, add } = commitsBefore();
  for (let count = 0; count < 12; count++) add('shop', `/${'x'.repeat(100_000)}`);
  for (let message = 0; message < 3; message++) {
    await until(() => sent.length === message + 1);
    sent[message]?.answer('stored');
  }
  await turn();
  expect(sent.map(({ views }) => views.length)).toEqual([5, 5, 2]);
  for (const { views } of sent) expect(decodeMessage(encodeMessage(views))).toHaveLength(views.length);
  expect(outcomes).toEqual(Array(12).fill('stored'));
});

test('what waits is bounded in bytes: more is refused at once, and taken again when there is room', async () => {
  const { sent, outcomes, add } = commitsBefore({ waitingMost: 50_000 });
  for (let count = 0; count < 20; count++) add('shop');
  const refused = outcomes.length;
  expect(outcomes).toEqual(Array(refused).fill('overloaded'));
  expect(20 - refused).toBe(Math.floor(50_000 / (4096 + view('shop').length + 1)));
  await turn();
  sent[0]?.answer('stored');
  await turn();
  add('shop');
  await turn();
  expect(sent).toHaveLength(2);
});

test('while NATS is away nothing waits', () => {
  const { outcomes, add, publisher } = commitsBefore();
  publisher.isAway = true;
  add('shop');
  expect(outcomes).toEqual(['unavailable']);
});
