import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld } from './expect-held.ts';
import { arrivalSettings, webhooksArrive } from './runs/webhooks-arrive.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: arrivalSettings });
}, 120_000);
afterAll(() => platform[Symbol.asyncDispose](), 60_000);

test('every event arrives at every webhook that wants it, once by its id, whatever is killed and however receivers behave', async () => {
  expectHeld(await webhooksArrive(platform, { msEach: 4000 }));
}, 480_000);
