import { makeProject } from '../contract/fixtures.ts';
import { agency, eventually } from '../harness/agency.ts';
import { restore, takeDown } from '../harness/operator.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm, visit } from '../harness/visitor.ts';

const [origin = ''] = sharedPlatform().origins;
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
  expect(refused.body.error).toBe('An operator of this platform took this site down (it imitates a bank): ask there to have it restored.');
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
    const ofSite = entries.filter(({ action }: { action: string }) => action.startsWith('site.'));
    expect(ofSite).toHaveLength(2);
    return ofSite;
  });
  expect(entries).toMatchObject([
    { action: 'site.restored', actor: { kind: 'operator' }, target: { kind: 'project', id } },
    { action: 'site.taken_down', actor: { kind: 'operator' }, target: { kind: 'project', id, name: expect.stringContaining(': spam') } },
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
