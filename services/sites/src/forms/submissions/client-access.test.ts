import type { Principal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import { useForms } from '../../testing/running-forms.ts';
import { post, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite, type TestSite } from '../../testing/test-sites.ts';
import { settingsOf } from '../settings/form-settings-store.ts';
import { submissionPage, submissionTally } from './submission-store.ts';

const running = useForms();

/** A caller with the role of a client user of this site. */
const clientOf = ({ org_id, client_id: user_id }: TestSite) => {
  const principal: Principal = { ...testCaller(org_id).principal, kind: 'session', role: 'client', user_id };
  return testCaller(org_id, { principal });
};

/** Two sites of different clients in one organization, with one submission each. */
async function neighbours() {
  const site = newSite();
  const other = newSite({ org_id: site.org_id });
  for (const each of [site, other]) expect((await post(running.port, each, 'a=1')).status).toBe(303);
  const [[own], [theirs]] = await Promise.all([storedSubmissions(site), storedSubmissions(other)]);
  return { site, other, own: own?._id ?? '', theirs: theirs?._id ?? '' };
}

test('a client user reads, marks and deletes submissions of their own site, and changes its notification settings', async () => {
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

test("another client's site and submissions are not found by a client user", async () => {
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
  expect(await storedSubmissions(other)).toMatchObject([{ _id: theirs, spam: false }]);
});

test('the store itself restricts a client user to their own records, even if a use case forgets the check', async () => {
  const { site, other } = await neighbours();
  const [caller, { project_id }] = [clientOf(site), other];
  const silent = { project_id, notify: false, update_mask: ['notify'] };
  await call('forms.UpdateFormSettings', silent, clientOf(other));
  expect(await submissionPage(caller, { project_id, spam: false }, { limit: 50, offset: 0 })).toMatchObject({ records: [], total: 0 });
  expect(await submissionTally(caller, { project_id })).toEqual([]);
  expect(await settingsOf(caller, { id: project_id, user_id: other.client_id })).toMatchObject({ revision: 0, notify: true });
});

test("a client user's forms are counted from the index alone, as everybody's are", async () => {
  const { site } = await neighbours();
  const pastTheEnd = { project_id: site.project_id, limit: 50, offset: 1 };
  const tallied = await requestsOn('submissions', () => call('forms.ListForms', { project_id: site.project_id }, clientOf(site)));
  expect(tallied).toMatchObject([{ docsExamined: 0 }]);
  const listed = await requestsOn('submissions', () => call('forms.ListSubmissions', pastTheEnd, clientOf(site)));
  expect(listed.find(({ op }) => op === 'command')).toMatchObject({ docsExamined: 0 });
});
