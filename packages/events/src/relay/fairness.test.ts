import { randomUUID } from 'node:crypto';
import type { EventEnvelope, RaisedEvent } from '@webkiln/messages';
import { insertChange, waitingRecords } from '@webkiln/store';
import { testCaller, until, useTestStore } from '@webkiln/store/testing';
import { closeEvents, connectEvents } from '../connection.ts';
import { deleted, messagesOn, ownStream, removeStream, streamWith, Templates, withNats } from '../testing/template-records.ts';
import { EventBudget } from './event-budget.ts';
import { startRelay } from './relay.ts';

useTestStore();

let options = ownStream();
beforeEach(() => {
  options = ownStream();
});
afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

const connectTo = (perMinute: number) => connectEvents(process.env.NATS_URL ?? '', 'test', { ...options, perMinute });
const raise = (org_id: string, ...events: RaisedEvent[]) =>
  insertChange(Templates, testCaller(org_id), { state: { _id: randomUUID(), name: 'a' }, events });
/** A public event that its `id` tells from others; the relay does not look at the rest of its data. */
const updated = (id: string) => ({ type: 'client.updated', data: { client: { id } } }) as unknown as RaisedEvent;
type Marked = EventEnvelope & { data: { client?: { id: string } } };
const eventsOf = async (org_id: string) =>
  (await messagesOn(options.stream)).map((message) => message.json<Marked>()).filter((event) => event.org_id === org_id);
const allPublished = () => until(async () => (await waitingRecords(Templates, 1)).length === 0);

test('what an organization raises beyond its budget waits, while the events of others behind it are published', async () => {
  const [greedy, modest] = [randomUUID(), randomUUID()];
  await Promise.all(Array.from({ length: 700 }, (_, n) => raise(greedy, updated(`${n} first`), updated(`${n} second`))));
  await raise(modest, updated('modest'));
  await connectTo(20);
  startRelay();
  await until(async () => (await eventsOf(modest)).length === 1);
  expect((await waitingRecords(Templates, 1_000)).length).toBeGreaterThan(600);
  await closeEvents();
  await connectTo(1_000_000);
  startRelay();
  await allPublished();
  const ids = (await eventsOf(greedy)).map(({ data }) => data.client?.id ?? '');
  expect([ids.length, new Set(ids).size]).toEqual([1_400, 1_400]);
  for (let n = 0; n < 700; n++) expect(ids.indexOf(`${n} first`)).toBeLessThan(ids.indexOf(`${n} second`));
});

test('our own events, such as revocations, do not wait for the budget of an organization', async () => {
  const org_id = randomUUID();
  await connectTo(1);
  startRelay();
  await raise(org_id, updated('the one of this minute'));
  await allPublished();
  await raise(org_id, updated('waits'));
  await raise(org_id, deleted('does not wait'));
  await until(async () => (await eventsOf(org_id)).some(({ type }) => type === 'internal.template.deleted'));
});

test('records that wait for a full stream do not hide those behind them', async () => {
  await connectTo(1_000_000);
  startRelay();
  const mail = (invitation_id: string): RaisedEvent => ({ type: 'internal.member.invited', data: { invitation_id } });
  await raise(randomUUID(), mail('room'));
  await allPublished();
  const limit = (max_msgs: number) =>
    withNats(async (connection) =>
      (await connection.jetstreamManager()).streams.update(streamWith(options, 'internal.member.invited'), { max_msgs }),
    );
  await limit(1);
  await closeEvents();
  const org_id = randomUUID();
  await Promise.all(Array.from({ length: 600 }, (_, n) => raise(org_id, mail(`${n}`))));
  await raise(org_id, deleted('behind'));
  await connectTo(1_000_000);
  startRelay();
  await until(async () => (await eventsOf(org_id)).length === 1);
  await limit(-1);
  await allPublished();
  expect(await messagesOn(streamWith(options, 'internal.member.invited'))).toHaveLength(601);
});

test('a budget admits as many events at once as it has a minute, then what flows in, and forgets who is silent', () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(0);
  const budget = new EventBudget(60);
  const taken = (tries: number) => Array.from({ length: tries }, () => budget.take('a')).filter(Boolean).length;
  expect([taken(100), budget.take('b'), budget.size]).toEqual([60, true, 2]);
  now.mockReturnValue(2_000);
  budget.forgetFull();
  expect([taken(100), budget.size]).toEqual([2, 1]);
  budget.giveBack('a');
  expect(taken(100)).toBe(1);
  now.mockReturnValue(1_000);
  expect(taken(100)).toBe(0);
  now.mockReturnValue(3600_000);
  expect(taken(100)).toBe(60);
  now.mockReturnValue(7200_000);
  budget.forgetFull();
  expect(budget.size).toBe(0);
  now.mockRestore();
});
