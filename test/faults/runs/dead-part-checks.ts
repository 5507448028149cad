import { randomBytes, randomUUID } from 'node:crypto';
import { formatApiKey } from '@webkiln/contract';
import { type Agency, agency } from '../../harness/agency.ts';
import { type Answer, Api } from '../../harness/api.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { readEvents } from './event-stream.ts';
import { introduced } from './limit.ts';

const unlimited = 1_000_000;
const burstAtEach = 50;

export const allRoutes = ['/clients', '/plans', '/projects', '/templates', '/webhooks'];

/** Agencies that work on while a part of the platform is away. */
export interface Bystander {
  readonly platform: TestPlatform;
  readonly ours: Agency;
  /** Another one, with the platform's quota. */
  readonly limited: Agency;
  /** The platform's. */
  readonly windowMs: number;
  /** The first one's key, at each gateway: all of them know it. */
  readonly doors: readonly Api[];
  /** Clients made while no event could go out. */
  readonly unheard: string[];
}

export async function makeBystander(platform: TestPlatform, windowMs: number): Promise<Bystander> {
  const ours = await agency(platform.facts, { rateLimit: unlimited });
  const limited = await agency(platform.facts);
  const bystander = { platform, ours, limited, windowMs, doors: doorsOf(platform, ours.api.key), unheard: [] };
  await served(bystander, allRoutes);
  return bystander;
}

const doorsOf = ({ facts }: TestPlatform, key: string | undefined) => facts.origins.map((origin) => new Api(`${origin}/api/v1`, key));

/** Throws unless every gateway answers these lists, and 503 with Retry-After for the other ones. */
export async function served({ doors }: Bystander, routes: readonly string[]): Promise<void> {
  const asked = doors.flatMap((door) => allRoutes.map((route) => ({ door, route })));
  await Promise.all(
    asked.map(async ({ door, route }) => {
      const answer = await door.get(route);
      if (routes.includes(route)) answer.expect(200);
      else expectAway(answer);
    }),
  );
}

/** Throws unless the answer says that a part is away, and when to come again. */
export function expectAway(answer: Answer): void {
  answer.expect(503, 'unavailable');
  if (!(Number(answer.headers.get('retry-after')) > 0)) throw new Error('503 without Retry-After');
}

/** Makes a client; throws unless that is acknowledged. */
export async function makesClient({ ours }: Bystander): Promise<string> {
  return (await ours.api.post('/clients', { email: `${randomUUID()}@example.test` })).expect(201).body.client.id;
}

/** Throws when a client that was made without NATS was not told of on the stream. */
export async function hasToldAll({ platform, unheard }: Bystander): Promise<void> {
  const events = await readEvents(platform.facts.urls.NATS_URL);
  const told = new Set(events.flatMap(({ type, data }) => (type === 'client.created' && 'client' in data ? [data.client.id] : [])));
  for (const id of unheard) if (!told.has(id)) throw new Error(`client.created of ${id} is not on the stream`);
}

/** Throws unless of a new key's requests, nearly all sent at once over all gateways, just this many pass. */
export async function letsThrough(bystander: Bystander, expected: number): Promise<void> {
  const { platform, limited, windowMs } = bystander;
  const doors = doorsOf(platform, (await limited.makeKey(['read'])).api.key);
  const since = performance.now();
  const passed = await Promise.all(doors.map(passedAt));
  const all = passed.reduce((sum, each) => sum + each);
  // Where the machine takes longer than a window for all of them, more may pass: that was no try.
  if (all > expected && performance.now() - since > windowMs) return letsThrough(bystander, expected);
  if (all !== expected) throw new Error(`${passed.join(' + ')} requests of a key passed at ${doors.length} gateways, ${expected} should`);
}

/** How many of a burst a gateway lets through, with the one by which it learned of the key. */
async function passedAt(door: Api): Promise<number> {
  const { answer: first } = await introduced(door);
  const burst = await Promise.all(Array.from({ length: burstAtEach }, () => door.get('/plans')));
  return [first, ...burst].filter(({ status }) => status !== 429).length;
}

/** A key that could be one, but that no gateway has met. */
export const stranger = ({ platform }: Bystander) => doorsOf(platform, formatApiKey(randomBytes(32)))[0] as Api;
