import { randomUUID } from 'node:crypto';
import { put, quiet } from '@webkiln/events/testing';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { sweepDeletedProjects } from '../deleted-projects/deleted-project-store.ts';
import { useForms } from '../testing/running-forms.ts';
import { post, publishedEvents, storedSubmissions } from '../testing/sent-forms.ts';
import { newSite, type TestSite } from '../testing/test-sites.ts';

const running = useForms();

const inHalfAnHour = () => new Date(Date.now() + 30 * 60_000);

async function deleteProject({ org_id, project_id }: TestSite): Promise<void> {
  const data = { project_id, org_client_id: null };
  const event = {
    id: randomUUID(),
    type: 'internal.project.deleted',
    timestamp: new Date().toISOString(),
    org_id,
    api_version: 'v1',
    data,
  };
  await put(running.stream, 'internal.project.deleted', [JSON.stringify(event)]);
  await quiet(running.stream, 'sites-on-project-deleted');
}

test('deleting a project deletes its submissions and settings, and those of no other project', async () => {
  const [deleted, other] = [newSite(), newSite()];
  for (const site of [deleted, other]) {
    await post(running.port, site, 'a=1');
    await post(running.port, site, 'a=2&_gotcha=x');
    const change = { project_id: site.project_id, notify: false, update_mask: ['notify'] };
    await call('forms.UpdateFormSettings', change, testCaller(site.org_id));
    await publishedEvents(running.stream, site);
  }
  await deleteProject(deleted);
  expect([await storedSubmissions(deleted), (await storedSubmissions(other)).length]).toEqual([[], 2]);
  const settingsOf = ({ project_id, org_id }: TestSite) => call('forms.GetFormSettings', { project_id }, testCaller(org_id));
  expect([(await settingsOf(deleted)).settings?.notify, (await settingsOf(other)).settings?.notify]).toEqual([true, false]);
});

test('submissions and settings written during the deletion of their project are deleted by the sweep', async () => {
  const [deleted, other] = [newSite(), newSite()];
  await deleteProject(deleted);
  // As requests that read the project before its deletion would.
  for (const site of [deleted, other]) await post(running.port, site, 'a=1');
  const change = { project_id: deleted.project_id, notify: false, update_mask: ['notify'] };
  await call('forms.UpdateFormSettings', change, testCaller(deleted.org_id));
  const settings = () => call('forms.GetFormSettings', { project_id: deleted.project_id }, testCaller(deleted.org_id));
  await sweepDeletedProjects();
  expect([(await storedSubmissions(deleted)).length, (await settings()).settings?.notify]).toEqual([1, false]);
  await sweepDeletedProjects(inHalfAnHour());
  expect([await storedSubmissions(deleted), (await storedSubmissions(other)).length]).toEqual([[], 1]);
  expect((await settings()).settings?.notify).toBe(true);
});

test('a deleted project is swept once', async () => {
  const site = newSite();
  await deleteProject(site);
  await sweepDeletedProjects(inHalfAnHour());
  await post(running.port, site, 'a=1');
  await sweepDeletedProjects(inHalfAnHour());
  expect(await storedSubmissions(site)).toHaveLength(1);
});
