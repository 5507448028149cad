import { withinOneDay } from '@webkiln/store/testing';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { countEveryView, viewsOptions } from './runs/outages/views-counted.ts';

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  // Unique visitors are counted per day, so the run must not cross midnight.
  await withinOneDay(300_000);
  platform = await startPlatform(viewsOptions);
});
afterAll(() => platform[Symbol.asyncDispose]());

test('every accepted view is counted once while parts are killed', async () => {
  expectHeld(await countEveryView(platform, { views: 20_000, kills: 7 }));
});
