import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultsWithinMs } from './expect-held.ts';
import { patientSettings } from './runs/patient-settings.ts';
import { keepFair } from './runs/webhook-fairness.ts';
import { stopWebhooks } from './runs/webhook-stop.ts';

const replicas = 2;

jest.setTimeout(faultsWithinMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ replicas, env: patientSettings });
});
afterAll(() => platform[Symbol.asyncDispose]());

test('every event arrives at ten webhooks while one beside them has not answered its first request', async () => {
  expectHeld(await keepFair(platform, { clients: 100, replicas }));
});

test('a process that is stopped hands back what it has under way: another one delivers it, long before a retry would', async () => {
  expectHeld(await stopWebhooks(platform, { rounds: 1 }));
});
