import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { arrivalSettings, webhooksArrive } from './runs/webhooks-arrive.ts';

jest.setTimeout(faultsWithinMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: arrivalSettings });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('every event arrives at every webhook that wants it, once by its id, whatever is killed and however receivers behave', async () => {
  expectHeld(await webhooksArrive(platform, { msEach: 4000 }));
});
