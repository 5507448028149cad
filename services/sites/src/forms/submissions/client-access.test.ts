import { call, type Principal } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import { useForms } from '../testing/running-forms.ts';
import { keptOf, post } from '../testing/sent-forms.ts';
import { newSite, type TestSite } from '../testing/test-sites.ts';
import { settingsOf } from './form-settings-store.ts';
import { submissionPage, submissionTally } from './submission-store.ts';

const running = useForms();

/** The caller that a client's user of the site's organization is; of this site unless another one is named. */
const clientOf = ({ org_id, client_id: user_id }: TestSite) => {
  const principal: Principal = { ...testCaller(org_id).principal, kind: 'session', role: 'client', user_id };
  return testCaller(org_id, { principal });
};

/** Sites of two clients of an organization, with a submission each. */
async function neighbours() {
  const site = newSite();
  const other = newSite({ org_id: site.org_id });
  for (const each of [site, other]) expect((await post(running.port, each, 'a=1')).status).toBe(303);
  const [[own], [theirs]] = await Promise.all([keptOf(site), keptOf(other)]);
  return { site, other, own: own?._id ?? '', theirs: theirs?._id ?? '' };
}

test("a client's user reads, judges and deletes what came in by his own site's forms, and says who is told of it", async () => {
  const { site, own } = await neighbours();
  const [caller, project_id] = [clientOf(site), site.project_id];
  expect((await call('forms.ListForms', { project_id }, caller)).total).toBe(1);
  expect((await call('forms.ListSubmissions', { project_id, limit: 50, offset: 0 }, caller)).total).toBe(1);
  const spam = { project_id, submission_id: own, spam: true, update_mask: ['spam'] };
  expect((await call('forms.UpdateSubmission', spam, caller)).submission).toMatchObject({ id: own, spam: true });
  expect((await call('forms.UpdateFormSettings', { project_id, notify: false, update_mask: ['notify'] }, caller)).settings?.notify).toBe(
    false,
  );
  expect((await call('forms.GetFormSettings', { project_id }, caller)).settings?.notify).toBe(false);
  expect(await call('forms.DeleteSubmission', { project_id, submission_id: own }, caller)).toMatchObject({ deleted: true });
});

test("what came in by another client's site does not exist for him, nor does the site", async () => {
  const { site, other, theirs } = await neighbours();
  const caller = clientOf(site);
  const { project_id } = other;
  const notThere = (code: string) => expect.objectContaining({ code });
  await expect(call('forms.ListForms', { project_id }, caller)).rejects.toEqual(notThere('project_not_found'));
  await expect(call('forms.GetFormSettings', { project_id }, caller)).rejects.toEqual(notThere('project_not_found'));
  const change = { project_id, submission_id: theirs, spam: true, update_mask: ['spam'] };
  await expect(call('forms.UpdateSubmission', change, caller)).rejects.toEqual(notThere('submission_not_found'));
  await expect(call('forms.DeleteSubmission', { project_id, submission_id: theirs }, caller)).rejects.toEqual(
    notThere('submission_not_found'),
  );
  expect(await keptOf(other)).toMatchObject([{ _id: theirs, spam: false }]);
});

test("the store itself gives a client's user nothing of another's, whoever forgot to ask", async () => {
  const { site, other } = await neighbours();
  const [caller, { project_id }] = [clientOf(site), other];
  const silent = { project_id, notify: false, update_mask: ['notify'] };
  await call('forms.UpdateFormSettings', silent, clientOf(other));
  expect(await submissionPage(caller, { project_id, spam: false }, { limit: 50, offset: 0 })).toEqual({ records: [], total: 0 });
  expect(await submissionTally(caller, { project_id })).toEqual([]);
  expect(await settingsOf(caller, { id: project_id, user_id: other.client_id })).toMatchObject({ revision: 0, notify: true });
});

test('his forms are counted without a record, as everybody’s are', async () => {
  const { site } = await neighbours();
  const page = { project_id: site.project_id, limit: 50, offset: 0 };
  const tallied = await requestsOn('submissions', () => call('forms.ListForms', { project_id: site.project_id }, clientOf(site)));
  expect(tallied).toMatchObject([{ docsExamined: 0 }]);
  const listed = await requestsOn('submissions', () => call('forms.ListSubmissions', page, clientOf(site)));
  expect(listed.find(({ op }) => op === 'command')).toMatchObject({ docsExamined: 0 });
});
