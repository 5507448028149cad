import { randomBytes, randomUUID } from 'node:crypto';
import { formatApiKey } from '@webkiln/contract';
import { type Agency, agency } from '../../../harness/agency.ts';
import { Api, type ApiResponse } from '../../../harness/api.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { firstCountedRequest } from '../http/rate-limit.ts';
import { readEvents } from '../records/event-stream.ts';

const unlimited = 1_000_000;
const burstAtEach = 50;

export const allRoutes = ['/clients', '/plans', '/projects', '/templates', '/webhooks'];

/** Agencies that keep calling while a part of the platform is down. */
export interface Bystander {
  readonly platform: TestPlatform;
  readonly ours: Agency;
  /** A second agency, with the default rate limit. */
  readonly limited: Agency;
  /** The platform's rate-limit window. */
  readonly windowMs: number;
  /** Clients with the first agency's key, one per gateway. Every gateway has cached the key. */
  readonly gateways: readonly Api[];
  /** Ids of clients created while no event could be published. */
  readonly unpublished: string[];
}

export async function makeBystander(platform: TestPlatform, windowMs: number): Promise<Bystander> {
  const ours = await agency(platform.facts, { rateLimit: unlimited });
  const limited = await agency(platform.facts);
  const bystander = { platform, ours, limited, windowMs, gateways: gatewaysFor(platform, ours.api.key), unpublished: [] };
  await served(bystander, allRoutes);
  return bystander;
}

const gatewaysFor = ({ facts }: TestPlatform, key: string | undefined) => facts.origins.map((origin) => new Api(`${origin}/api/v1`, key));

/** Throws unless every gateway answers these lists with 200 and all others with 503 and Retry-After. */
export async function served({ gateways }: Bystander, routes: readonly string[]): Promise<void> {
  const asked = gateways.flatMap((gateway) => allRoutes.map((route) => ({ gateway, route })));
  await Promise.all(
    asked.map(async ({ gateway, route }) => {
      const answer = await gateway.get(route);
      if (routes.includes(route)) answer.expect(200);
      else expectUnavailable(answer);
    }),
  );
}

/** Throws unless the answer is 503 `unavailable` with Retry-After. */
export function expectUnavailable(answer: ApiResponse): void {
  answer.expect(503, 'unavailable');
  if (!(Number(answer.headers.get('retry-after')) > 0)) throw new Error('503 without Retry-After');
}

/** Creates a client and returns its id. Throws unless the write is acknowledged. */
export async function createClient({ ours }: Bystander): Promise<string> {
  return (await ours.api.post('/clients', { email: `${randomUUID()}@example.test` })).expect(201).body.client.id;
}

/** Throws unless every client created without NATS has its event on the stream by now. */
export async function expectEventsPublished({ platform, unpublished }: Bystander): Promise<void> {
  const events = await readEvents(platform.facts.urls.NATS_URL);
  const published = new Set(events.flatMap(({ type, data }) => (type === 'client.created' && 'client' in data ? [data.client.id] : [])));
  for (const id of unpublished) if (!published.has(id)) throw new Error(`client.created of ${id} is not on the stream`);
}

/** Sends a burst with a new key over all gateways. Throws unless exactly `expected` requests pass. */
export async function expectPassed(bystander: Bystander, expected: number): Promise<void> {
  const { platform, limited, windowMs } = bystander;
  const gateways = gatewaysFor(platform, (await limited.makeKey(['read'])).api.key);
  const since = performance.now();
  const passed = await Promise.all(gateways.map(countPassed));
  const all = passed.reduce((sum, each) => sum + each);
  // If the burst took longer than a window, more may pass legitimately. Try again.
  if (all > expected && performance.now() - since > windowMs) return expectPassed(bystander, expected);
  if (all !== expected)
    throw new Error(`${passed.join(' + ')} requests of a key passed at ${gateways.length} gateways; expected ${expected}`);
}

/** How many requests of a burst pass one gateway, including the first, by which it looks up the key. */
async function countPassed(gateway: Api): Promise<number> {
  const { answer: first } = await firstCountedRequest(gateway);
  const burst = await Promise.all(Array.from({ length: burstAtEach }, () => gateway.get('/plans')));
  return [first, ...burst].filter(({ status }) => status !== 429).length;
}

/** A well-formed API key that no gateway has seen. */
export const stranger = ({ platform }: Bystander) => gatewaysFor(platform, formatApiKey(randomBytes(32)))[0] as Api;
