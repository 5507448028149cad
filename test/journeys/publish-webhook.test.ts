import { Webhook } from 'standardwebhooks';
import { makeProject } from '../contract/fixtures.ts';
import { agency } from '../harness/agency.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

test('publishing delivers one signed webhook with the live project; a rollback and a refused publish deliver none', async () => {
  await using receiver = await WebhookReceiver.start();
  const { api, eventually } = await agency();
  const { webhook } = (await api.post('/webhooks', { url: receiver.url, events: ['project.published'] })).expect(201).body;
  const { id } = await makeProject(api);
  const publish = (builtFiles: object) => api.post(`/projects/${id}/publish`, { builtFiles });
  const first = (await publish({ 'index.html': '1' })).expect(200).body;
  (await publish({ 'about.html': 'no index' })).expect(400);
  (await publish({ 'index.html': '2' })).expect(200);
  (await api.post(`/projects/${id}/deploys/${first.deployId}/rollback`)).expect(200);
  (await publish({ 'index.html': '3' })).expect(200);
  const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  await eventually(() => expect(ids().size).toBe(3));
  for (const { body, headers } of receiver.received) {
    expect(new Webhook(webhook.secret).verify(body, headers)).toMatchObject({
      type: 'project.published',
      data: { project: { id, published_url: first.url, subdomain: first.project.subdomain } },
    });
  }
});
