import { operations } from '@webkiln/contract';
import { eventually } from '../harness/agency.ts';
import { owner, type Person } from '../harness/person.ts';
import { clientUser, findMember, newMember } from '../harness/team.ts';
import { activeClient, makePlan, makeProject, makeTemplate, makeWebhook, someEmail, someHook } from './fixtures.ts';

/**
 * Every list that an owner can read, as JSON. It leaves out usage and the request log, which contain the refusals,
 * and the audit log, which lags behind.
 */
async function everything({ api }: Person): Promise<string> {
  const lists = Object.values(operations).filter(
    ({ method, path, roles }) =>
      method === 'GET' && roles?.length !== 0 && !path.includes('{') && !/usage|requests|analytics|audit/.test(path),
  );
  const answers = await Promise.all(lists.map(async ({ path }) => (await api.get(path)).expect(200).body));
  return JSON.stringify(answers);
}

/** The actions before the refusals, and the revocation of the key after them. */
const audited = [
  ...['client.changed', 'client.created', 'client.created', 'invitation.sent', 'key.created', 'key.revoked'],
  ...['member.added', 'member.added', 'plan.created', 'session.started', 'session.started', 'template.created', 'webhook.created'],
];

test('valid writes that a viewer or a client is not allowed to make answer 403 and change nothing', async () => {
  const boss = await owner();
  const [viewer, { person: client }] = [await newMember(boss, 'viewer'), await clientUser(boss)];
  const theirs = await activeClient(boss.api);
  const project = await makeProject(boss.api, theirs);
  const [plan, template, webhook] = [await makePlan(boss.api), await makeTemplate(boss.api), await makeWebhook(boss.api)];
  const member = await findMember(viewer, boss);
  const { key } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
  const before = await everything(boss);
  for (const { api } of [viewer, client]) {
    const answers = await Promise.all([
      api.post('/clients', { email: someEmail() }),
      api.patch(`/clients/${theirs.id}`, { status: 'suspended' }),
      api.post('/projects', { client_email: theirs.email, name: 'Mine' }),
      api.delete(`/projects/${project.id}`),
      api.post('/plans', { name: 'Free', price: 0 }),
      api.patch(`/plans/${plan.id}`, { price: 0 }),
      api.post('/templates', { name: 'Mine' }),
      api.delete(`/templates/${template.id}`),
      api.post('/webhooks', { url: someHook, events: ['client.created'] }),
      api.delete(`/webhooks/${webhook.id}`),
      api.post(`/webhooks/${webhook.id}/rotate-secret`, {}),
      api.post('/account/keys', { name: 'Mine', permissions: ['read', 'write'] }),
      api.delete(`/account/keys/${key.id}`),
      api.patch(`/account/members/${member.id}`, { role: 'owner' }),
      api.post('/account/invitations', { email: someEmail(), role: 'owner' }),
      api.patch('/account/organization', { name: 'Mine' }),
    ]);
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(answers.map(() => '403 role_missing'));
  }
  (await viewer.api.patch(`/projects/${project.id}`, { name: 'Mine' })).expect(403, 'role_missing');
  (await viewer.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Mine' } })).expect(403, 'role_missing');
  expect(await everything(boss)).toBe(before);
  (await boss.api.delete(`/account/keys/${key.id}`)).expect(200);
  await eventually(async () => {
    const { entries } = (await boss.api.get('/account/audit?limit=100')).expect(200).body as { entries: { action: string }[] };
    expect(entries.map(({ action }) => action).sort()).toEqual(audited);
  });
});
