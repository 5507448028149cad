import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { oneOfEachKind, restartEach, SlowModel } from './runs/outages/rolling-restart.ts';
import { ReleasedProcesses, upgrade, upgradeSettings } from './runs/outages/upgrade.ts';
import { RotatedSecrets, rotateUnderLoad } from './runs/rotation/rotated-secrets.ts';

const services = ['identity', 'clients-plans', 'projects-templates', 'webhooks', 'sites', 'embed', 'gateway'] as const;

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
const parts = new AsyncDisposableStack();
const secrets = parts.use(new RotatedSecrets());
const released = parts.use(new ReleasedProcesses(services));
beforeAll(async () => {
  const model = parts.use(await SlowModel.start());
  const env = { ...upgradeSettings, ...model.env, ...secrets.env };
  platform = parts.use(await startPlatform({ gateways: 2, replicas: 2, env, envOf: secrets.envOf, otherPrograms: released.programs }));
});
afterAll(() => parts.disposeAsync());

test('an upgrade from the released commit, a return half way and the upgrade again fail no write and lose no event', async () => {
  expectHeld(await upgrade(platform, released.programs, { writesPerSecond: 10, services }));
});

test('restarting a process of each kind in turn under 40 requests per second fails no request and loses no part of a stream', async () => {
  expectHeld(await restartEach(platform, { rounds: 1, restarted: oneOfEachKind, requestsPerSecond: 40, concurrentTurns: 3 }));
});

test('rotating every listed secret and the signing keys in three steps under load fails no request, loses nothing used meanwhile, and ends what the old ones made', async () => {
  expectHeld(await rotateUnderLoad(platform, secrets));
});
