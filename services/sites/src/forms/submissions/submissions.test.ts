import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { useForms } from '../testing/running-forms.ts';
import { keptOf, post, toldOf } from '../testing/sent-forms.ts';
import { newSite, type TestSite } from '../testing/test-sites.ts';

const running = useForms();
const refusal = (code: string) => expect.objectContaining({ code });
const send = async (site: TestSite, body: string, form = 'contact') => {
  expect((await post(running.port, site, body, { form })).status).toBe(303);
};
const callerOf = ({ org_id }: TestSite, more = {}) => testCaller(org_id, more);
const list = (site: TestSite, wanted = {}) =>
  call('forms.ListSubmissions', { project_id: site.project_id, limit: 50, offset: 0, ...wanted }, callerOf(site));
const judge = (site: TestSite, submission_id: string, spam: boolean, more = {}) =>
  call('forms.UpdateSubmission', { project_id: site.project_id, submission_id, spam, update_mask: ['spam'] }, callerOf(site, more));

async function siteWithForms() {
  const site = newSite();
  await send(site, 'a=1');
  await send(site, 'a=2', 'order');
  await send(site, 'a=3&_gotcha=x');
  await send(site, 'a=4&a=5');
  return site;
}

test('forms are listed with what came in by them, spam apart, the latest first', async () => {
  const site = await siteWithForms();
  const [, order, , last] = await keptOf(site);
  const { forms, total } = await call('forms.ListForms', { project_id: site.project_id }, callerOf(site));
  expect({ forms, total }).toEqual({
    forms: [
      { name: 'contact', submissions: 2, spam: 1, last_submitted_at: last?.submitted_at },
      { name: 'order', submissions: 1, spam: 0, last_submitted_at: order?.submitted_at },
    ],
    total: 2,
  });
});

test('submissions are listed newest first, without spam or spam alone, by form and by time, page by page', async () => {
  const site = await siteWithForms();
  const kept = await keptOf(site);
  const valuesOf = async (wanted: object) => {
    const { submissions, total } = await list(site, wanted);
    return [submissions.map(({ fields }) => fields[0]?.values.join()), total];
  };
  expect(await valuesOf({})).toEqual([['4,5', '2', '1'], 3]);
  expect(await valuesOf({ spam: 'true' })).toEqual([['3'], 1]);
  expect(await valuesOf({ form: 'Contact' })).toEqual([['4,5', '1'], 2]);
  expect(await valuesOf({ limit: 1, offset: 1 })).toEqual([['2'], 3]);
  expect(await valuesOf({ after: kept[1]?.submitted_at })).toEqual([['4,5', '2'], 2]);
  expect(await valuesOf({ before: kept[1]?.submitted_at })).toEqual([['1'], 1]);
  for (const wrong of [{ spam: 'maybe' }, { after: 'yesterday' }, { form: 'other' }]) expect(await valuesOf(wrong)).toEqual([[], 0]);
});

test('what is no spam after all is told of, once, however often somebody changes his mind', async () => {
  const site = await siteWithForms();
  const spam = (await keptOf(site)).find((submission) => submission.spam);
  const id = spam?._id ?? '';
  const { submission } = await judge(site, id, false);
  expect(submission).toMatchObject({ id, spam: false });
  for (const verdict of [true, false, false, true]) await judge(site, id, verdict);
  const told = (await toldOf(running.stream, site)).filter(({ data }) => data.form.id === id);
  expect(told.map(({ data }) => data.form)).toEqual([
    { id, name: 'contact', page: '/', fields: { a: '3' }, submitted_at: spam?.submitted_at },
  ]);
  expect(await list(site, { spam: 'true' })).toMatchObject({ submissions: [{ id }] });
});

test('what was told of and is taken for spam by a person is not told of again', async () => {
  const site = await siteWithForms();
  const [first] = await keptOf(site);
  await judge(site, first?._id ?? '', true);
  await judge(site, first?._id ?? '', false);
  expect(await toldOf(running.stream, site)).toHaveLength(3);
});

test('a deleted submission is gone, but not what was told of it', async () => {
  const site = await siteWithForms();
  const [first] = await keptOf(site);
  const gone = { project_id: site.project_id, submission_id: first?._id ?? '' };
  expect(await call('forms.DeleteSubmission', gone, callerOf(site))).toEqual({ deleted: true, id: first?._id });
  await expect(call('forms.DeleteSubmission', gone, callerOf(site))).rejects.toEqual(refusal('submission_not_found'));
  expect((await list(site)).total).toBe(2);
  expect(await toldOf(running.stream, site)).toHaveLength(3);
});

test('a change is refused to who has read another state', async () => {
  const site = await siteWithForms();
  const [{ _id: id } = { _id: '' }] = await keptOf(site);
  const { etag } = await judge(site, id, true);
  await judge(site, id, false, { ifMatch: etag });
  await expect(judge(site, id, true, { ifMatch: etag })).rejects.toEqual(refusal('edited_meanwhile'));
  const gone = { project_id: site.project_id, submission_id: id };
  await expect(call('forms.DeleteSubmission', gone, callerOf(site, { ifMatch: etag }))).rejects.toEqual(refusal('edited_meanwhile'));
});

test('forms and submissions of others, of other projects and of no project do not exist', async () => {
  const [site, other] = [await siteWithForms(), newSite()];
  const [{ _id: submission_id } = { _id: '' }] = await keptOf(site);
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
  expect(await keptOf(site)).toHaveLength(4);
});
