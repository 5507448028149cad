import { randomUUID } from 'node:crypto';
import type { Principal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { useForms } from '../../testing/running-forms.ts';
import { post, publishedEvents, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite, type TestSite } from '../../testing/test-sites.ts';
import { settingsOf } from '../settings/form-settings-store.ts';
import { submissionPage, submissionTally } from './submission-store.ts';

describe('submissions', () => {
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
});

describe('client access', () => {
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
});

describe('submission indexes', () => {
  const running = useForms();

  test("lists are read in index order, regardless of the organization's other data, and forms are counted from the index alone", async () => {
    const site = newSite();
    const other = newSite({ org_id: site.org_id });
    for (const [to, body] of [
      [site, 'a=1'],
      [site, 'a=2'],
      [site, 'a=3&_gotcha=x'],
      [other, 'a=4'],
    ] as const) {
      await post(running.port, to, body);
    }
    const caller = testCaller(site.org_id);
    // A page that is not the last, so that the list is counted.
    const page = { project_id: site.project_id, limit: 1, offset: 0 };
    for (const wanted of [{}, { form: 'contact' }, { after: '2020-01-01T00:00:00Z' }]) {
      const operations = await requestsOn('submissions', () => call('forms.ListSubmissions', { ...page, ...wanted }, caller));
      const [found, counted] = ['query', 'command'].map((op) => operations.find((operation) => operation.op === op));
      expect(found).toMatchObject({ docsExamined: 2, nreturned: 2 });
      expect(found).not.toHaveProperty('hasSortStage');
      expect(counted).toMatchObject({ docsExamined: 0 });
    }
    const tallied = await requestsOn('submissions', () => call('forms.ListForms', { project_id: site.project_id }, caller));
    expect(tallied).toMatchObject([{ docsExamined: 0, keysExamined: 3 }]);
  });
});
