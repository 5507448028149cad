import type { Limit } from '@webkiln/contract';
import { type QuotaName, quotaNames, quotas } from '@webkiln/messages';
import { agency, eventually } from '../harness/agency.ts';
import { setLimit } from '../harness/operator.ts';
import { owner, type Person } from '../harness/person.ts';
import { activeClient, makeProject, makeWebhook } from './fixtures.ts';

const limitsOf = async ({ api }: Person): Promise<Limit[]> => (await api.get('/account/limits')).expect(200).body.limits;
const unit = (name: QuotaName): string => quotas[name].unit;
const usedBy = async (person: Person) => Object.fromEntries((await limitsOf(person)).map(({ name, used }) => [name, used]));

test('getLimits: names every quota with its unit, its limit and what is used, as a number for all but rates', async () => {
  const limits = await limitsOf(await owner());
  expect(limits).toEqual(
    quotaNames.map((name) => ({
      name,
      unit: unit(name),
      limit: expect.any(Number),
      used: unit(name).endsWith(' a minute') ? null : expect.any(Number),
    })),
  );
});

test('getLimits: counts what the organization has, less what it deleted, and nothing of others', async () => {
  const [boss, stranger] = [await owner(), await owner()];
  const { api } = boss;
  expect(await usedBy(boss)).toMatchObject({ members: 1, clients: 0, projects: 0, webhooks: 0, keys: 0, embed_clients: 0 });
  const project = await makeProject(api, await activeClient(api));
  const webhook = await makeWebhook(api);
  await makeWebhook(api);
  const { key } = (await api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
  (await api.post('/account/embed-clients', { name: 'Builder', allowed_origins: ['https://agency.example.com'] })).expect(201);
  expect(await usedBy(boss)).toMatchObject({ members: 1, clients: 1, projects: 1, webhooks: 2, keys: 1, embed_clients: 1 });
  (await api.delete(`/projects/${project.id}`)).expect(200);
  (await api.delete(`/webhooks/${webhook.id}`)).expect(200);
  (await api.delete(`/account/keys/${key.id}`)).expect(200);
  expect(await usedBy(boss)).toMatchObject({ members: 1, clients: 1, projects: 0, webhooks: 1, keys: 0, embed_clients: 1 });
  expect(await usedBy(stranger)).toMatchObject({ clients: 0, webhooks: 0, embed_clients: 0 });
});

test('getLimits: shows the limit that an operator sets, and the platform’s again without it', async () => {
  await agency();
  const boss = await owner();
  const { organization } = (await boss.api.get('/account/session')).expect(200).body;
  const limit = async () => (await limitsOf(boss)).find(({ name }) => name === 'webhooks')?.limit;
  const usual = await limit();
  await setLimit(organization.id, 'webhooks', 7);
  await eventually(async () => expect(await limit()).toBe(7));
  await setLimit(organization.id, 'webhooks');
  await eventually(async () => expect(await limit()).toBe(usual));
});
