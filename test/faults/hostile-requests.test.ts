import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { keepTenantsApart } from './runs/access/tenants.ts';
import { containAbuse } from './runs/http/abuse.ts';
import { refuseBadInput } from './runs/http/bad-input.ts';
import { seedSettings } from './runs/records/seed-fixtures.ts';

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: { ...seedSettings, REQUEST_TIMEOUT_MS: '60000' } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('no credential reaches foreign records, and foreign ids are answered like unknown ones, byte for byte', async () => {
  expectHeld(await keepTenantsApart(platform));
});

test('bad input gets a 4xx that names the mistake, never causes a 5xx or a crash, and stores nothing', async () => {
  expectHeld(await refuseBadInput(platform, { requests: 1000 }));
});

test('slow, endless, huge and deeply nested requests are refused in time, cost little memory and do not disturb other callers', async () => {
  expectHeld(await containAbuse(platform, { slowHeads: 200, slowBodies: 0, endlessBodies: 5, rounds: 1, extraMs: 15_000 }));
});
