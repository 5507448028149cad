import { randomUUID } from 'node:crypto';
import { quiet, withNats } from '@webkiln/events/testing';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { sweepDeletedProjects } from '../deleted-projects/drop-project.ts';
import { useForms } from '../testing/running-forms.ts';
import { keptOf, post, toldOf } from '../testing/sent-forms.ts';
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
  const subject = `${running.stream.subjectPrefix}internal.project.deleted`;
  await withNats((connection) => connection.jetstream().publish(subject, JSON.stringify(event)));
  await quiet(running.stream, 'sites-on-project-deleted');
}

test('with its project what came in by forms goes, and the settings, of no other', async () => {
  const [gone, other] = [newSite(), newSite()];
  for (const site of [gone, other]) {
    await post(running.port, site, 'a=1');
    await post(running.port, site, 'a=2&_gotcha=x');
    const change = { project_id: site.project_id, notify: false, update_mask: ['notify'] };
    await call('forms.UpdateFormSettings', change, testCaller(site.org_id));
    await toldOf(running.stream, site);
  }
  await deleteProject(gone);
  expect([await keptOf(gone), (await keptOf(other)).length]).toEqual([[], 2]);
  const settingsOf = ({ project_id, org_id }: TestSite) => call('forms.GetFormSettings', { project_id }, testCaller(org_id));
  expect([(await settingsOf(gone)).settings?.notify, (await settingsOf(other)).settings?.notify]).toEqual([true, false]);
});

test('what is sent while its project is deleted goes later: nothing is left behind', async () => {
  const [gone, other] = [newSite(), newSite()];
  await deleteProject(gone);
  // Who found the project before it was deleted writes after.
  for (const site of [gone, other]) await post(running.port, site, 'a=1');
  const change = { project_id: gone.project_id, notify: false, update_mask: ['notify'] };
  await call('forms.UpdateFormSettings', change, testCaller(gone.org_id));
  const settings = () => call('forms.GetFormSettings', { project_id: gone.project_id }, testCaller(gone.org_id));
  await sweepDeletedProjects();
  expect([(await keptOf(gone)).length, (await settings()).settings?.notify]).toEqual([1, false]);
  await sweepDeletedProjects(inHalfAnHour());
  expect([await keptOf(gone), (await keptOf(other)).length]).toEqual([[], 1]);
  expect((await settings()).settings?.notify).toBe(true);
});

test('a deleted project is swept up after once', async () => {
  const site = newSite();
  await deleteProject(site);
  await sweepDeletedProjects(inHalfAnHour());
  await post(running.port, site, 'a=1');
  await sweepDeletedProjects(inHalfAnHour());
  expect(await keptOf(site)).toHaveLength(1);
});
