import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { agency } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

const mailsTo = (email: string) => {
  const { mailFolder } = sharedPlatform();
  const names = readdirSync(mailFolder).filter((name) => name.includes(email));
  return names.map((name) => readFileSync(path.join(mailFolder, name), 'utf8').replaceAll(/=\r?\n/g, ''));
};

test('a webhook whose receiver answers 410 is disabled, and only owners and admins get a mail', async () => {
  await using receiver = await WebhookReceiver.start();
  receiver.status = 410;
  const { api, organization, eventually } = await agency();
  const operator = () => callerFor(operatorPrincipal(organization.id), { timeoutMs: 60_000 });
  const email = (role: string) => `${role}-${organization.id}@example.com`;
  for (const role of ['owner', 'admin', 'developer', 'viewer']) await call('identity.AddMember', { email: email(role), role }, operator());
  const created = await api.post('/webhooks', { url: receiver.url, events: ['client.created'] });
  const { id } = created.body.webhook;

  await api.post('/clients', { email: `client-${organization.id}@example.org` });
  await eventually(() => {
    for (const role of ['owner', 'admin']) expect(mailsTo(email(role))).toHaveLength(1);
  });
  expect(mailsTo(email('owner'))[0]).toContain(receiver.url);
  expect((await api.get(`/webhooks/${id}`)).body.webhook).toMatchObject({ is_active: false });
  expect(receiver.received).toHaveLength(1);
  for (const role of ['developer', 'viewer']) expect(mailsTo(email(role))).toEqual([]);
});
