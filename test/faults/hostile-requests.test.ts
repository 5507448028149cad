import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { keepAbuseLocal } from './runs/abuse.ts';
import { refuseBadInput } from './runs/bad-input.ts';
import { estateSettings } from './runs/estate.ts';
import { keepTenantsApart } from './runs/tenants.ts';

jest.setTimeout(faultsWithinMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: { ...estateSettings, REQUEST_TIMEOUT_MS: '60000' } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('no credential reaches what is not its own, and foreign ids answer as unknown ones do, to the byte', async () => {
  expectHeld(await keepTenantsApart(platform));
});

test('bad input is a 4xx that says why, never a 5xx or a crash, and stores nothing', async () => {
  expectHeld(await refuseBadInput(platform, { requests: 1500 }));
});

test('slow, endless, huge and deep requests are refused in time, cost little memory, and others are served', async () => {
  expectHeld(await keepAbuseLocal(platform, { slowHeads: 200, slowBodies: 0, endlessBodies: 5, rounds: 1, patienceMs: 15_000 }));
});
