import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { surviveDeadParts } from './runs/dead-parts.ts';
import { exactLimit, neverOverTheLimit } from './runs/limit.ts';

const windowMs = 6000;

jest.setTimeout(faultsWithinMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 3, env: { RATE_WINDOW_MS: String(windowMs), ...exactLimit } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('one key never gets more than 100 requests in any of several windows over three gateways, and gets 100', async () => {
  expectHeld(await neverOverTheLimit(platform, { windows: 3, windowMs }));
});

test('a part that is away takes nothing with it that does not need it, and all is as before within 10 s of its return', async () => {
  expectHeld(await surviveDeadParts(platform, { downMs: 1000, windowMs }));
});
