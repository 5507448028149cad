import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { oneOfEachKind, restartUnderLoad } from './runs/outages/rolling-restart.ts';

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 2, replicas: 2, env: { REQUEST_TIMEOUT_MS: '60000' } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('restarting a process of each kind in turn under 100 requests per second causes no connection reset and no 5xx', async () => {
  expectHeld(await restartUnderLoad(platform, { rounds: 1, restarted: oneOfEachKind }));
});
