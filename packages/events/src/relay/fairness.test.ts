import { randomUUID } from 'node:crypto';
import { Change, type EventEnvelope, type RaisedEvent } from '@webkiln/messages';
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

const run = async (perMinute: (org_id: string) => number) => {
  await connectEvents(process.env.NATS_URL ?? '', 'test', options);
  startRelay(async (org_id) => perMinute(org_id));
};
const raise = (org_id: string, ...events: RaisedEvent[]) =>
  insertChange(Templates, testCaller(org_id), new Change({ _id: randomUUID(), name: 'a' }, events));
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
  await run(() => 20);
  await until(async () => (await eventsOf(modest)).length === 1);
  expect((await waitingRecords(Templates, 1_000)).length).toBeGreaterThan(600);
  await closeEvents();
  await run(() => 1_000_000);
  await allPublished();
  const ids = (await eventsOf(greedy)).map(({ data }) => data.client?.id ?? '');
  expect([ids.length, new Set(ids).size]).toEqual([1_400, 1_400]);
  for (let n = 0; n < 700; n++) expect(ids.indexOf(`${n} first`)).toBeLessThan(ids.indexOf(`${n} second`));
});

test('our own events, such as revocations, do not wait for the budget of an organization', async () => {
  const org_id = randomUUID();
  await run(() => 1);
  await raise(org_id, updated('the one of this minute'));
  await allPublished();
  await raise(org_id, updated('waits'));
  await raise(org_id, deleted('does not wait'));
  await until(async () => (await eventsOf(org_id)).some(({ type }) => type === 'internal.template.deleted'));
});

test('records that wait for a full stream do not hide those behind them', async () => {
  await run(() => 1_000_000);
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
  await run(() => 1_000_000);
  await until(async () => (await eventsOf(org_id)).length === 1);
  await limit(-1);
  await allPublished();
  expect(await messagesOn(streamWith(options, 'internal.member.invited'))).toHaveLength(601);
});

test('an organization whose limit is 0 publishes nothing, others do; once it is raised, everything follows in order', async () => {
  const [stopped, other] = [randomUUID(), randomUUID()];
  const limits = new Map<string, number>([[stopped, 0]]);
  await run((org_id) => limits.get(org_id) ?? 3_000);
  for (let n = 0; n < 20; n++) await raise(stopped, updated(`${n} first`), updated(`${n} second`));
  await raise(other, updated('other'));
  await until(async () => (await eventsOf(other)).length === 1);
  expect(await eventsOf(stopped)).toEqual([]);
  limits.set(stopped, 3_000);
  await allPublished();
  const ids = (await eventsOf(stopped)).map(({ data }) => data.client?.id ?? '');
  expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
  for (let n = 0; n < 20; n++) expect(ids.indexOf(`${n} first`)).toBeLessThan(ids.indexOf(`${n} second`));
});

test('a budget admits the events of two seconds at once, then what flows in, and forgets who is silent', async () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(0);
  let limit = 300;
  const budget = new EventBudget(async () => limit);
  const taken = async (tries: number) => {
    const outcomes = await Promise.all(Array.from({ length: tries }, () => budget.take('a')));
    return outcomes.filter(Boolean).length;
  };
  expect([await taken(100), await budget.take('b'), budget.size]).toEqual([10, true, 2]);
  now.mockReturnValue(2_000);
  budget.forgetFull();
  expect([await taken(100), budget.size]).toEqual([10, 1]);
  budget.giveBack('a');
  expect(await taken(100)).toBe(1);
  now.mockReturnValue(1_000);
  expect(await taken(100)).toBe(0);
  now.mockReturnValue(3600_000);
  expect(await taken(100)).toBe(10);
  limit = 450;
  expect(await taken(100)).toBe(5);
  limit = 5;
  now.mockReturnValue(3660_000);
  expect(await taken(100)).toBe(1);
  now.mockReturnValue(7200_000);
  budget.forgetFull();
  expect(budget.size).toBe(0);
  now.mockRestore();
});
