import { agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { grantCredits } from '../harness/operator.ts';
import { owner, type Person } from '../harness/person.ts';

const path = '/account/credits';
const opened = { kind: 'granted', amount: 100, balance: 100, turn_id: null, project_id: null };

let boss: Person;
let orgId: string;
beforeAll(async () => {
  await agency(); // connects the operator
  boss = await owner();
  orgId = (await boss.api.get('/account/session')).expect(200).body.organization.id;
});

test('getCredits: answers 200 with the 100 credits that an organization begins with, in its ledger', async () => {
  const { balance, reserved, entries, total } = (await (await owner()).api.get(path)).expect(200).body;
  expect([balance, reserved, total]).toEqual([100, 0, 1]);
  expect(entries).toEqual([expect.objectContaining(opened)]);
});

test('getCredits: answers 403 to an API key', async () => {
  const { secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read', 'write'] })).expect(201).body;
  (await new Api(`${boss.platform.origins[0]}/api/v1`, secret).get(path)).expect(403, 'session_required');
});

test('getCredits: first requests at once open one account, with one first line', async () => {
  const { api } = await owner();
  const answers = await Promise.all(Array.from({ length: 8 }, () => api.get(path)));
  for (const answer of answers) expect(answer.expect(200).body.balance).toBe(100);
  expect((await api.get(path)).body.total).toBe(1);
});

test('what an operator grants is in the balance, in the ledger and in the audit log', async () => {
  expect((await grantCredits(orgId, 400, 'Welcome')).balance).toBe(500);
  const { balance, entries } = (await boss.api.get(path)).expect(200).body;
  expect(balance).toBe(500);
  expect(entries[0]).toMatchObject({ kind: 'granted', amount: 400, balance: 500, note: 'Welcome' });
  await eventually(async () => {
    const acts = (await boss.api.get('/account/audit')).expect(200).body.entries;
    expect(acts).toContainEqual(expect.objectContaining({ action: 'credits.granted' }));
  });
});

test('an operator cannot take more than there is, and nothing changes', async () => {
  await expect(grantCredits(orgId, -1_000_000)).rejects.toMatchObject({ code: 'validation_failed' });
  const { balance, entries } = (await boss.api.get(path)).expect(200).body;
  expect(entries[0].balance).toBe(balance);
});

test('the balance and the ledger of another organization are out of reach', async () => {
  const { api } = await owner();
  await grantCredits(orgId, 7);
  expect((await api.get(path)).expect(200).body).toMatchObject({ balance: 100, total: 1 });
});

test('createEmbedClient and updateEmbedClient: keep the bounds on credits, and answer 400 for one that is no whole number', async () => {
  const clients = '/account/embed-clients';
  const wanted = { name: 'Portal', allowed_origins: ['https://app.example.com'] };
  const made = (await boss.api.post(clients, { ...wanted, session_credits: 20 })).expect(201).body.embed_client;
  expect(made).toMatchObject({ session_credits: 20, daily_credits: null });
  const change = { session_credits: null, daily_credits: 300 };
  expect((await boss.api.patch(`${clients}/${made.id}`, change)).expect(200).body.embed_client).toMatchObject(change);
  (await boss.api.post(clients, { ...wanted, daily_credits: 0 })).expect(400, 'validation_failed');
});
