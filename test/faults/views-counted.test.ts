import { withinOneDay } from '@webkiln/store/testing';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { countEveryView, viewsOptions } from './runs/views-counted.ts';

jest.setTimeout(faultsWithinMs);

let platform: TestPlatform;
beforeAll(async () => {
  // Visitors are those of a day.
  await withinOneDay(300_000);
  platform = await startPlatform(viewsOptions);
});
afterAll(() => platform[Symbol.asyncDispose]());

test('every accepted view is counted once, whatever is killed meanwhile', async () => {
  expectHeld(await countEveryView(platform, { views: 20_000, kills: 7 }));
});
