import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { restartUnderLoad } from './runs/rolling-restart.ts';

jest.setTimeout(faultsWithinMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 2, replicas: 2, env: { REQUEST_TIMEOUT_MS: '60000' } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('each process restarted in its turn under 100 requests a second resets no connection and answers nothing with 5xx', async () => {
  expectHeld(await restartUnderLoad(platform, { rounds: 1 }));
});
