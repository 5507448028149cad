import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld } from './expect-held.ts';
import { surviveDeadParts } from './runs/dead-parts.ts';
import { neverOverTheLimit } from './runs/limit.ts';

const windowMs = 6000;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 3, env: { RATE_WINDOW_MS: String(windowMs) } });
}, 60_000);
afterAll(() => platform[Symbol.asyncDispose](), 60_000);

test('one key never gets more than 100 requests in any of several windows over three gateways, and gets 100', async () => {
  expectHeld(await neverOverTheLimit(platform, { windows: 3, windowMs }));
}, 60_000);

test('a part that is away takes nothing with it that does not need it, and all is as before within 10 s of its return', async () => {
  expectHeld(await surviveDeadParts(platform, { downMs: 1000 }));
}, 180_000);
