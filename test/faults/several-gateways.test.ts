import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { exactLimit, neverOverTheLimit } from './runs/limit.ts';
import { oneEffectAcrossKills, oneEffectAcrossResets, oneEffectOfMany } from './runs/one-effect.ts';
import { peopleOutEverywhere } from './runs/people-out.ts';
import { revokedEverywhere, revokedWithoutNats } from './runs/revocation.ts';

jest.setTimeout(faultsWithinMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 3, env: exactLimit });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('one key never gets more than 100 requests in any 60 s over three gateways, and gets 100', async () => {
  expectHeld(await neverOverTheLimit(platform, { windows: 1, windowMs: 60_000 }));
});

test('a revoked key opens nothing on any gateway after 1 s', async () => {
  expectHeld(await revokedEverywhere(platform, { rounds: 5, withinMs: 1000 }));
});

// Generous: a verdict lasts for a minute where nobody is told. That it takes less than a second is the drill's to show.
test('a removed member, and the user of a suspended client, are out on every gateway long before what it knows of them runs out', async () => {
  expectHeld(await peopleOutEverywhere(platform, { rounds: 1, withinMs: 20_000 }));
});

test('with NATS down a revoked key opens nothing on any gateway after 5 s', async () => {
  expectHeld(await revokedWithoutNats(platform, { rounds: 1, withinMs: 5500 }));
});

test('50 POSTs at once with one Idempotency-Key over three gateways have one effect, and equal answers or 409', async () => {
  expectHeld(await oneEffectOfMany(platform, { rounds: 4 }));
});

test('a POST that failed because its service was killed has one effect when it is repeated, with or without a key', async () => {
  expectHeld(await oneEffectAcrossKills(platform, { rounds: 1 }));
});

test('a POST without a key whose connection was reset has one effect when it is repeated', async () => {
  expectHeld(await oneEffectAcrossResets(platform, { rounds: 1 }));
});
