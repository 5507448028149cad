import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld } from './expect-held.ts';
import { restartUnderLoad } from './runs/rolling-restart.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 2, replicas: 2 });
}, 60_000);
afterAll(() => platform[Symbol.asyncDispose](), 60_000);

test('each process restarted in its turn under 100 requests a second resets no connection and answers nothing with 5xx', async () => {
  expectHeld(await restartUnderLoad(platform, { rounds: 1 }));
}, 120_000);
