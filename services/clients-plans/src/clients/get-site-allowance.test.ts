import { call } from '@webkiln/rpc';
import { refusal } from '../testing/expectations.ts';
import { newClient, newPlan } from '../testing/records.ts';
import { newOrganization, projectsTemplates, useClientsPlans } from '../testing/running-service.ts';

useClientsPlans();

const allowance = (org: string, client_email: string) => call('clients.GetSiteAllowance', { client_email }, projectsTemplates(org));

test("the allowance contains client, user, status and the plan's max_sites, for any case of the email", async () => {
  const org = newOrganization();
  const plan_id = await newPlan(org, { max_sites: 7 });
  const client_id = await newClient(org, { email: 'Ada@example.com', plan_id });
  const found = await allowance(org, 'aDA@EXAMPLE.com');
  expect(found).toEqual({ client_id, user_id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'invited', max_sites: 7 });
  expect(found.user_id).not.toBe(client_id);
  expect(await allowance(org, 'ada@example.com')).toEqual(found);
});

test('a plan with zero sites allows none, unlike no plan', async () => {
  const org = newOrganization();
  await newClient(org, { email: 'ada@example.com', plan_id: await newPlan(org, { max_sites: 0 }) });
  expect(await allowance(org, 'ada@example.com')).toMatchObject({ max_sites: 0 });
});

test('a client without a plan has no limit', async () => {
  const org = newOrganization();
  await newClient(org, { email: 'ada@example.com' });
  expect(await allowance(org, 'ada@example.com')).not.toHaveProperty('max_sites');
});

test("an unknown email and another organization's client both give client_not_found", async () => {
  const org = newOrganization();
  await newClient(newOrganization(), { email: 'ada@example.com' });
  await expect(allowance(org, 'ada@example.com')).rejects.toEqual(refusal('client_not_found'));
  await expect(allowance(org, 'nobody@example.com')).rejects.toEqual(refusal('client_not_found'));
});
