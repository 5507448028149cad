import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { enforceRateLimit, exactLimitSettings } from './runs/http/rate-limit.ts';
import { surviveDeadParts } from './runs/outages/dead-parts.ts';

const windowMs = 6000;

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 3, env: { RATE_WINDOW_MS: String(windowMs), ...exactLimitSettings } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('one key gets 100 requests and never more in any of several windows over three gateways', async () => {
  expectHeld(await enforceRateLimit(platform, { windows: 3, windowMs }));
});

test('the outage of one part affects only requests that need it, and everything recovers within 10 s of its return', async () => {
  expectHeld(await surviveDeadParts(platform, { downMs: 1000, windowMs }));
});
