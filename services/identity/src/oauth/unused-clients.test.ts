import { setImmediate as nextTick } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { Agent } from './testing/agent.ts';
import { tokensOf } from './testing/agent.ts';
import { newPerson, useOauth } from './testing/use-oauth.ts';

const max = 3;
const oauth = useOauth(() => ({ MAX_UNUSED_CLIENTS: String(max) }));
const clients = () => mongoose.connection.collection<{ _id: string }>('oauth_clients');

beforeEach(async () => void (await clients().deleteMany({})));

/** Registers an agent from a network of its own. */
async function registered(replica = 0): Promise<Agent> {
  const agent = oauth.agent(replica);
  expect((await agent.register()).status).toBe(201);
  return agent;
}

/** An agent whose consent page was open so long ago that it does not matter. */
async function connectedLongAgo() {
  const [person, agent] = [await newPerson(), await registered()];
  const tokens = await agent.connect(person.email, person.password);
  await clients().updateOne({ _id: agent.clientId }, { $set: { deciding_until: new Date(0) } });
  return { agent, tokens };
}

/** Registers agents in different milliseconds, by which the older one is known. */
async function inOrder(count: number): Promise<string[]> {
  const ids = [];
  for (let made = 0; made < count; made++) {
    await nextMillisecond();
    ids.push((await registered(made % 2)).clientId);
  }
  return ids;
}

async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() <= now) await nextTick();
}

const stored = async () => new Set((await clients().find({}).toArray()).map(({ _id }) => _id));

test('beyond the bound the oldest unused registration is deleted, over all networks and replicas; a connected one never', async () => {
  const unused = await registered();
  const { agent: connected, tokens } = await connectedLongAgo();
  const others = await inOrder(max);
  expect(await stored()).toEqual(new Set([connected.clientId, ...others]));
  expect(await (await unused.authorize()).text()).toContain('registration has expired');
  const newer = await inOrder(max);
  expect(await stored()).toEqual(new Set([connected.clientId, ...newer]));
  await tokensOf(await connected.refresh(tokens.refresh_token));
});

test('an agent whose person is deciding on the consent page is spared', async () => {
  const [person, agent] = [await newPerson(), await registered()];
  const consent = await agent.signIn(await agent.openPage(), person.email, person.password);
  const others = await inOrder(max + 2);
  expect(await stored()).toEqual(new Set([agent.clientId, ...others.slice(2)]));
  await tokensOf(await agent.exchange((await agent.allow(consent)).searchParams.get('code') ?? ''));
});

test('a flood from many networks at two replicas leaves as many unused registrations as the bound, and harms no connected agent', async () => {
  const { agent: connected, tokens } = await connectedLongAgo();
  const flood = await Promise.all(Array.from({ length: 120 }, (_, count) => registered(count % 2)));
  const left = await stored();
  expect([left.size, left.has(connected.clientId)]).toEqual([max + 1, true]);
  expect(flood.filter(({ clientId }) => left.has(clientId))).toHaveLength(max);
  await tokensOf(await connected.refresh(tokens.refresh_token));
});
