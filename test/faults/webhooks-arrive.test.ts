import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { arrivalSettings, deliverEveryEvent } from './runs/webhooks/arrival.ts';

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: arrivalSettings });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('every event reaches every subscribed webhook under one id while parts are killed and receivers fail', async () => {
  expectHeld(await deliverEveryEvent(platform, { msPerPart: 4000 }));
});
