import { makeProject } from '../contract/fixtures.ts';
import { agency, eventually } from '../harness/agency.ts';
import { resume, suspend } from '../harness/operator.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm, visit } from '../harness/visitor.ts';

const [origin = ''] = sharedPlatform().origins;

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
