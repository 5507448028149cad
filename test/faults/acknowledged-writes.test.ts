import { unlimited } from '../drill/guarantee.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { keepAcknowledgedWrites, kill, pauseFor } from './runs/outages/acknowledged-writes.ts';

const counts = { rounds: 1, writesPerSecond: 20 };

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: unlimited });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('kill -9 of any part during writes loses and duplicates no acknowledged write, answers no caller 500, and the platform recovers', async () => {
  expectHeld(await keepAcknowledgedWrites(platform, kill, counts));
});

test('a part that hangs for 3 s loses and duplicates no acknowledged write, and answers no caller 500', async () => {
  expectHeld(await keepAcknowledgedWrites(platform, pauseFor(3000), counts));
});
