import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { upgradeUnderLoad } from './runs/outages/upgrade.ts';

const services = ['identity', 'clients-plans', 'projects-templates', 'webhooks', 'sites', 'embed', 'gateway'] as const;

jest.setTimeout(faultTimeoutMs);

test('an upgrade from the released commit, a return half way and the upgrade again fail no write and lose no event', async () => {
  expectHeld(await upgradeUnderLoad({ writesPerSecond: 10, services }));
});
