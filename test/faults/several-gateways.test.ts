import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { endAccessEverywhere } from './runs/access/member-removal.ts';
import { pauseSitesEverywhere } from './runs/access/paused-sites.ts';
import { revokeEverywhere, revokeWithoutNats } from './runs/access/revocation.ts';
import { suspendEverywhere } from './runs/access/suspension.ts';
import { enforceRateLimit, exactLimitSettings } from './runs/http/rate-limit.ts';
import { surviveDeadParts } from './runs/outages/dead-parts.ts';
import { oneEffectAcrossKills, oneEffectAcrossResets, oneEffectOfConcurrentPosts } from './runs/outages/idempotency.ts';

/** Shorter than the default of a minute, so that several windows pass. */
const windowMs = 6000;

jest.setTimeout(faultTimeoutMs);

/** Generous: without the broadcast a cached introspection result lasts a minute. The drill proves the small bounds. */
const maxDelayMs = 20_000;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 3, env: { RATE_WINDOW_MS: String(windowMs), ...exactLimitSettings } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('one key gets 100 requests and never more in any of several windows over three gateways', async () => {
  expectHeld(await enforceRateLimit(platform, { windows: 2, windowMs }));
});

test('a revoked key is refused by every gateway long before its credential cache expires', async () => {
  expectHeld(await revokeEverywhere(platform, { rounds: 1, maxDelayMs }));
});

test('the credentials of a suspended organization are refused by every gateway long before its credential cache expires', async () => {
  expectHeld(await suspendEverywhere(platform, { rounds: 1, maxDelayMs }));
});

// Less than the 10 s after which a cached name is looked up again. The drill proves 1 s.
test('the site and the preview of a suspended organization are paused at every gateway', async () => {
  expectHeld(await pauseSitesEverywhere(platform, { rounds: 1, maxDelayMs: 8_000 }));
});

test("a removed member and a suspended client's user are refused by every gateway long before its credential cache expires", async () => {
  expectHeld(await endAccessEverywhere(platform, { rounds: 1, maxDelayMs }));
});

test('with NATS down, too, a revoked key is refused by every gateway long before its credential cache expires', async () => {
  expectHeld(await revokeWithoutNats(platform, { rounds: 1, maxDelayMs }));
});

test('50 concurrent POSTs with one Idempotency-Key over three gateways have one effect and get equal answers or 409', async () => {
  expectHeld(await oneEffectOfConcurrentPosts(platform, { rounds: 2 }));
});

test('a POST that failed because its service was killed has one effect when repeated, with or without a key', async () => {
  expectHeld(await oneEffectAcrossKills(platform, { rounds: 1 }));
});

test('a POST without a key whose connection was reset has one effect when repeated', async () => {
  expectHeld(await oneEffectAcrossResets(platform, { rounds: 1 }));
});

test('the outage of one part affects only requests that need it, and everything recovers after its return', async () => {
  expectHeld(await surviveDeadParts(platform, { downMs: 1000, windowMs }));
});
