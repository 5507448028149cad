import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { makeProject } from '../contract/fixtures.ts';
import { agency, byTime, eventually } from '../harness/agency.ts';
import { restore, resume, suspend, takeDown } from '../harness/operator.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm, visit } from '../harness/visitor.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('a suspended organization', () => {
  async function publishedSite() {
    const ours = await agency();
    const { id } = await makeProject(ours.api, undefined, { name: `Harbour ${crypto.randomUUID()}` });
    const { url } = (await ours.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Fresh bread' } })).expect(200).body;
    const { preview_url } = (await ours.api.get(`/projects/${id}/preview`)).expect(200).body;
    return { ours, url: String(url), preview: String(preview_url) };
  }

  test("a suspended organization's sites and previews show a notice, take no forms and count no views; resumed, all is as before", async () => {
    const [{ ours, url, preview }, other] = [await publishedSite(), await publishedSite()];
    const send = (site: string) => sendForm(origin, `${site}/_forms/contact`, { name: 'Ada' }, { origin: site });
    const statuses = async () => [
      (await visit(origin, url)).status,
      (await visit(origin, preview)).status,
      (await send(url)).status,
      (await visit(origin, `${url}/t.gif?p=/`)).status,
    ];
    const become = (expected: number[]) => eventually(async () => expect(await statuses()).toEqual(expected));
    await become([200, 200, 303, 200]);
    await suspend(ours.organization.id);
    await become([503, 503, 503, 404]);
    expect((await visit(origin, url)).text).toContain('This site is paused');
    expect([(await visit(origin, other.url)).status, (await send(other.url)).status]).toEqual([200, 303]);
    await resume(ours.organization.id);
    await become([200, 200, 303, 200]);
  });
});

describe('a site that is taken down', () => {
  const builtFiles = { 'index.html': 'Fresh bread' };

  // Connects the operator.
  beforeAll(() => agency());

  async function publishedSite() {
    const boss = await owner();
    const { id } = await makeProject(boss.api, undefined, { name: `Harbour ${crypto.randomUUID()}` });
    const { url, deployId } = (await boss.api.post(`/projects/${id}/publish`, { builtFiles })).expect(200).body;
    const { preview_url } = (await boss.api.get(`/projects/${id}/preview`)).expect(200).body;
    return { api: boss.api, id, url: String(url), deployId, preview: String(preview_url) };
  }

  const become = (pages: readonly string[], status: number) =>
    eventually(async () =>
      expect(await Promise.all(pages.map(async (page) => (await visit(origin, page)).status))).toEqual(pages.map(() => status)),
    );

  test('a site that is taken down and its previews answer 410, and no publish or rollback brings them back, until it is restored', async () => {
    const { api, id, url, deployId, preview } = await publishedSite();
    await become([url, preview], 200);
    await takeDown(`${url}/some/page?x=1`, 'it imitates a bank');
    await become([url, preview], 410);
    expect((await visit(origin, url)).text).toContain('This site was taken down');
    expect((await sendForm(origin, `${url}/_forms/contact`, { a: 'b' }, { origin: url })).status).toBe(410);
    expect((await visit(origin, `${url}/t.gif?p=/`)).status).toBe(404);
    const refused = (await api.post(`/projects/${id}/publish`, { builtFiles })).expect(403, 'site_taken_down');
    expect(refused.body.error).toBe(
      'An operator of this platform took this site down (it imitates a bank): ask there to have it restored.',
    );
    (await api.post(`/projects/${id}/deploys/${deployId}/rollback`)).expect(403, 'site_taken_down');
    await become([url, preview], 410);
    await restore(id);
    await become([url, preview], 200);
    (await api.post(`/projects/${id}/publish`, { builtFiles })).expect(200);
  });

  test('taking down and restoring are in the audit log of the organization, with the operator and the reason; a repeat adds nothing', async () => {
    const { api, id, preview } = await publishedSite();
    for (let times = 0; times < 2; times++) await takeDown(preview, 'spam');
    for (let times = 0; times < 2; times++) await restore(preview);
    const entries = await eventually(async () => {
      const { entries } = (await api.get('/account/audit')).expect(200).body;
      const ofSite: { action: string; at: string }[] = entries.filter(({ action }: { action: string }) => action.startsWith('site.'));
      expect(ofSite).toHaveLength(2);
      return ofSite.toSorted(byTime);
    });
    expect(entries).toMatchObject([
      { action: 'site.taken_down', actor: { kind: 'operator' }, target: { kind: 'project', id, name: expect.stringContaining(': spam') } },
      { action: 'site.restored', actor: { kind: 'operator' }, target: { kind: 'project', id } },
    ]);
  });

  test.each(['nobody-has-this', 'https://nobody.example/', 'http://', '', crypto.randomUUID()])('no site is named %j', async (site) => {
    await expect(takeDown(site, 'spam')).rejects.toMatchObject({ code: 'project_not_found' });
  });

  test('a site is not taken down without a reason', async () => {
    const { url } = await publishedSite();
    await expect(takeDown(url, ' ')).rejects.toMatchObject({ code: 'validation_failed' });
    expect((await visit(origin, url)).status).toBe(200);
  });
});

describe('a webhook that is switched off', () => {
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
    for (const role of ['owner', 'admin', 'developer', 'viewer'])
      await call('identity.AddMember', { email: email(role), role }, operator());
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
});
