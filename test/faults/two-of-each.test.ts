import { withinOneDay } from '@webkiln/store/testing';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { countEveryView } from './runs/outages/views-counted.ts';
import { renewEachOnce } from './runs/records/renewals.ts';
import { deliverBesideHangingWebhook } from './runs/webhooks/fairness.ts';
import { stopWebhooks } from './runs/webhooks/graceful-stop.ts';
import { noRetrySettings } from './runs/webhooks/no-retry-settings.ts';

/** Processes of each service that the tests stop, kill or count on. */
const replicas = 2;

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    replicas: { analytics: replicas, 'clients-plans': replicas, webhooks: replicas },
    env: noRetrySettings,
  });
});
afterAll(() => platform?.[Symbol.asyncDispose]());

test('every event reaches ten webhooks while an eleventh has not answered its first request', async () => {
  expectHeld(await deliverBesideHangingWebhook(platform, { clients: 60, replicas }));
});

test('a webhooks process that stops hands back its deliveries in flight, and another process makes them without waiting for a retry', async () => {
  expectHeld(await stopWebhooks(platform, { rounds: 1, writesPerSecond: 20 }));
});

test('every due subscription is renewed once, with the next invoice number, while a process that renews is killed', async () => {
  expectHeld(await renewEachOnce(platform, { organizations: 2, clients: 60, kills: 1 }));
});

test('every accepted view is counted once while parts are killed', async () => {
  // Unique visitors are counted per day, so the run must not cross midnight.
  await withinOneDay(300_000);
  expectHeld(await countEveryView(platform, { views: 5000, kills: 5 }));
});
