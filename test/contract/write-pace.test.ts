import { agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { setLimit } from '../harness/operator.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { activeClient } from './fixtures.ts';

test('writes of an organization beyond 20 at once take their turns at a thirtieth of its limit a second, and all succeed', async () => {
  const { api: balanced, organization } = await agency(undefined, { rateLimit: 1_000_000 });
  // Each gateway paces what passes through it.
  const api = new Api(`${sharedPlatform().origins.at(-1)}/api/v1`, balanced.key);
  await setLimit(organization.id, 'requests', 300);
  const { id } = await activeClient(api);
  const rename = async () => (await api.patch(`/clients/${id}`, { name: 'renamed' })).expect(200);
  // Once the gateway knows the limit.
  await eventually(async () => {
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 40 }, rename));
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  });
});
