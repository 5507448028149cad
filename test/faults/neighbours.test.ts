import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { liveBeside } from './runs/neighbours/live-beside.ts';
import { neighbourSettings, nuisances } from './runs/neighbours/nuisances.ts';

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: neighbourSettings(nuisances) });
});
afterAll(() => platform[Symbol.asyncDispose]());

test.each(nuisances.map((nuisance) => [nuisance.what, nuisance] as const))('a neighbour loses nothing while %s', async (_, nuisance) => {
  expectHeld(await liveBeside(platform, nuisance, { rounds: 1, msEach: 4000, measured: false }));
});
