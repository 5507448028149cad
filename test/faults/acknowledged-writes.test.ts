import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { kill, loseNothing, pausedFor } from './runs/nothing-lost.ts';

jest.setTimeout(faultsWithinMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: { RATE_LIMIT: '1000000' } });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('kill -9 of any part during writes loses nothing that was acknowledged, doubles nothing, and is over within 10 s', async () => {
  expectHeld(await loseNothing(platform, kill, { rounds: 1 }));
});

test('a part that hangs for 3 s loses nothing and doubles nothing', async () => {
  expectHeld(await loseNothing(platform, pausedFor(3000), { rounds: 1 }));
});
