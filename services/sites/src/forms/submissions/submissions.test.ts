import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { useForms } from '../../testing/running-forms.ts';
import { post, publishedEvents, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite, type TestSite } from '../../testing/test-sites.ts';

const running = useForms();
const refusal = (code: string) => expect.objectContaining({ code });
const send = async (site: TestSite, body: string, form = 'contact') => {
  expect((await post(running.port, site, body, { form })).status).toBe(303);
};
const callerOf = ({ org_id }: TestSite, more = {}) => testCaller(org_id, more);
const list = (site: TestSite, wanted = {}) =>
  call('forms.ListSubmissions', { project_id: site.project_id, limit: 50, offset: 0, ...wanted }, callerOf(site));
const markSpam = (site: TestSite, submission_id: string, spam: boolean, more = {}) =>
  call('forms.UpdateSubmission', { project_id: site.project_id, submission_id, spam, update_mask: ['spam'] }, callerOf(site, more));

async function siteWithForms() {
  const site = newSite();
  await send(site, 'a=1');
  await send(site, 'a=2', 'order');
  await send(site, 'a=3&_gotcha=x');
  await send(site, 'a=4&a=5');
  return site;
}

test('forms are listed with their submission counts, spam apart, most recent first', async () => {
  const site = await siteWithForms();
  const [, order, , last] = await storedSubmissions(site);
  const { forms, total } = await call('forms.ListForms', { project_id: site.project_id }, callerOf(site));
  expect({ forms, total }).toEqual({
    forms: [
      { name: 'contact', submissions: 2, spam: 1, last_submitted_at: last?.submitted_at },
      { name: 'order', submissions: 1, spam: 0, last_submitted_at: order?.submitted_at },
    ],
    total: 2,
  });
});

test('submissions are listed newest first, filtered by spam, form and time, page by page', async () => {
  const site = await siteWithForms();
  const stored = await storedSubmissions(site);
  const valuesOf = async (wanted: object) => {
    const { submissions, total } = await list(site, wanted);
    return [submissions.map(({ fields }) => fields[0]?.values.join()), total];
  };
  expect(await valuesOf({})).toEqual([['4,5', '2', '1'], 3]);
  expect(await valuesOf({ spam: 'true' })).toEqual([['3'], 1]);
  expect(await valuesOf({ form: 'Contact' })).toEqual([['4,5', '1'], 2]);
  expect(await valuesOf({ limit: 1, offset: 1 })).toEqual([['2'], 3]);
  expect(await valuesOf({ after: stored[1]?.submitted_at })).toEqual([['4,5', '2'], 2]);
  expect(await valuesOf({ before: stored[1]?.submitted_at })).toEqual([['1'], 1]);
  for (const wrong of [{ spam: 'maybe' }, { after: 'yesterday' }, { form: 'other' }]) expect(await valuesOf(wrong)).toEqual([[], 0]);
});

test('spam that was stored before the limit of an event stays spam', async () => {
  const site = await siteWithForms();
  const id = (await storedSubmissions(site)).find((submission) => submission.spam)?._id ?? '';
  const fields = [{ name: 'a', values: ['v'.repeat(60_000)] }];
  await mongoose.connection.collection<{ _id: string }>('submissions').updateOne({ _id: id }, { $set: { fields } });
  await expect(markSpam(site, id, false)).rejects.toEqual(refusal('validation_failed'));
  expect(await list(site, { spam: 'true' })).toMatchObject({ submissions: [{ id }] });
});

test('a submission that is unmarked as spam is published once, however often the mark changes', async () => {
  const site = await siteWithForms();
  const spam = (await storedSubmissions(site)).find((submission) => submission.spam);
  const id = spam?._id ?? '';
  const { submission } = await markSpam(site, id, false);
  expect(submission).toMatchObject({ id, spam: false });
  for (const spam of [true, false, false, true]) await markSpam(site, id, spam);
  const events = (await publishedEvents(running.stream, site)).filter(({ data }) => data.form.id === id);
  expect(events.map(({ data }) => data.form)).toEqual([
    { id, name: 'contact', page: '/', fields: { a: '3' }, submitted_at: spam?.submitted_at },
  ]);
  expect(await list(site, { spam: 'true' })).toMatchObject({ submissions: [{ id }] });
});

test('a published submission that is marked as spam and unmarked again is not published again', async () => {
  const site = await siteWithForms();
  const [first] = await storedSubmissions(site);
  await markSpam(site, first?._id ?? '', true);
  await markSpam(site, first?._id ?? '', false);
  expect(await publishedEvents(running.stream, site)).toHaveLength(3);
});

test('a deleted submission is not found, but its published event stays', async () => {
  const site = await siteWithForms();
  const [first] = await storedSubmissions(site);
  const target = { project_id: site.project_id, submission_id: first?._id ?? '' };
  expect(await call('forms.DeleteSubmission', target, callerOf(site))).toEqual({ deleted: true, id: first?._id });
  await expect(call('forms.DeleteSubmission', target, callerOf(site))).rejects.toEqual(refusal('submission_not_found'));
  expect((await list(site)).total).toBe(2);
  expect(await publishedEvents(running.stream, site)).toHaveLength(3);
});

test('a change with a stale ETag is refused', async () => {
  const site = await siteWithForms();
  const [{ _id: id } = { _id: '' }] = await storedSubmissions(site);
  const { etag } = await markSpam(site, id, true);
  await markSpam(site, id, false, { ifMatch: etag });
  await expect(markSpam(site, id, true, { ifMatch: etag })).rejects.toEqual(refusal('edited_meanwhile'));
  const target = { project_id: site.project_id, submission_id: id };
  await expect(call('forms.DeleteSubmission', target, callerOf(site, { ifMatch: etag }))).rejects.toEqual(refusal('edited_meanwhile'));
});

test('forms and submissions of other organizations, other projects and unknown projects are not found', async () => {
  const [site, other] = [await siteWithForms(), newSite()];
  const [{ _id: submission_id } = { _id: '' }] = await storedSubmissions(site);
  const foreign = testCaller(other.org_id);
  for (const project_id of [site.project_id, randomUUID()]) {
    const page = { project_id, limit: 50, offset: 0 };
    await expect(call('forms.ListForms', { project_id }, foreign)).rejects.toEqual(refusal('project_not_found'));
    await expect(call('forms.ListSubmissions', page, foreign)).rejects.toEqual(refusal('project_not_found'));
    await expect(call('forms.GetFormSettings', { project_id }, foreign)).rejects.toEqual(refusal('project_not_found'));
    const settings = { project_id, notify: false, update_mask: ['notify'] };
    await expect(call('forms.UpdateFormSettings', settings, foreign)).rejects.toEqual(refusal('project_not_found'));
  }
  for (const [project_id, caller] of [
    [site.project_id, foreign],
    [other.project_id, foreign],
    [other.project_id, callerOf(site)],
  ] as const) {
    await expect(call('forms.DeleteSubmission', { project_id, submission_id }, caller)).rejects.toEqual(refusal('submission_not_found'));
    const change = { project_id, submission_id, spam: true, update_mask: ['spam'] };
    await expect(call('forms.UpdateSubmission', change, caller)).rejects.toEqual(refusal('submission_not_found'));
  }
  expect(await storedSubmissions(site)).toHaveLength(4);
});
