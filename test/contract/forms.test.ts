import { randomBytes, randomUUID } from 'node:crypto';
import { Form, FormSettings, Submission } from '@webkiln/contract';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { MongoClient } from 'mongodb';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { formMailsDecided, mailedLink, mailsTo } from '../harness/mails.ts';
import { setLimit } from '../harness/operator.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm } from '../harness/visitor.ts';
import { makeProject } from './fixtures.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('forms', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency(undefined, { rateLimit: 1000 });
  });

  /** Makes a project whose site received "Ada" by one form, "Bea" by another and "Eve" as spam. */
  async function projectWithForms() {
    const { id } = await makeProject(ours.api, undefined, { name: `Site ${randomBytes(6).toString('hex')}` });
    const { url } = (await ours.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
    const sent = [
      ['contact', { name: 'Ada' }],
      ['order', { name: 'Bea', bread: '=1+1', note: 'two\nlines' }],
      ['contact', { name: 'Eve', _gotcha: 'x' }],
    ] as const;
    for (const [form, fields] of sent) expect((await sendForm(origin, `${url}/_forms/${form}`, fields)).status).toBe(303);
    return { id, path: `/projects/${id}/forms` };
  }
  const namesIn = (body: { submissions: Submission[] }) => body.submissions.map(({ fields }) => fields.name);

  test('listForms: answers 200 with each form and its submission counts', async () => {
    const { path } = await projectWithForms();
    const { body, headers } = (await ours.readOnly.get(path)).expect(200);
    expect(body.forms.map((form: unknown) => Form.parse(form))).toMatchObject([
      { name: 'contact', submissions: 1, spam: 1 },
      { name: 'order', submissions: 1, spam: 0 },
    ]);
    expect([body.total, headers.get('x-total-count')]).toEqual([2, '2']);
  });

  test('listSubmissions: answers 200 with the submissions, newest first, in pages, with spam on request', async () => {
    const { path } = await projectWithForms();
    const { body, headers } = (await ours.api.get(`${path}/submissions?limit=1`)).expect(200);
    expect(body.submissions.map((submission: unknown) => Submission.parse(submission))).toEqual([
      expect.objectContaining({ form: 'order', page: '/', fields: { name: 'Bea', bread: '=1+1', note: 'two\nlines' }, spam: false }),
    ]);
    expect([body.total, headers.get('x-total-count')]).toEqual([2, '2']);
    expect(headers.get('link')).toContain('rel="next"');
    expect(namesIn((await ours.api.get(`${path}/submissions?form=contact`)).expect(200).body)).toEqual(['Ada']);
    expect(namesIn((await ours.api.get(`${path}/submissions?spam=true`)).expect(200).body)).toEqual(['Eve']);
    expect(namesIn((await ours.api.get(`${path}/submissions?before=2020-01-01T00:00:00Z`)).expect(200).body)).toEqual([]);
  });

  test('listSubmissions: answers Accept: text/csv with one column per field, and no cell is a formula', async () => {
    const { path } = await projectWithForms();
    const { submissions } = (await ours.api.get(`${path}/submissions`)).expect(200).body;
    const answer = await ours.api.raw(`${path}/submissions`, { headers: { accept: 'text/csv' } });
    const [bea, ada] = submissions.map(({ id, form, page, submitted_at }: Submission) => [id, form, page, submitted_at].join());
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="submissions.csv"']);
    expect(await answer.text()).toBe(`id,form,page,submitted_at,name,bread,note\r\n${bea},Bea,'=1+1,"two\nlines"\r\n${ada},Ada,,\r\n`);
  });

  test('listSubmissions: CSV contains every submission once across all pages, or one page when limit or offset is given', async () => {
    const { id, path } = await projectWithForms();
    const client = await MongoClient.connect(sharedPlatform().urls.MONGODB_URL);
    try {
      const kept = client.db('webkiln_sites').collection<{ _id: string; [field: string]: unknown }>('submissions');
      const { _id: _sent, ...form } = (await kept.findOne({ project_id: id, form: 'contact', spam: false })) ?? {};
      // Sixty share one timestamp: more than fit on a page.
      const moments = Array.from({ length: 150 }, (_, at) => new Date(Date.UTC(2026, 0, 1, 0, 0, at < 60 ? 0 : at)).toISOString());
      const fields = (at: number) => [{ name: at === 0 ? 'oldest' : 'name', values: [`visitor ${at}`] }];
      await kept.insertMany(
        moments.map((submitted_at, at) => ({ ...form, _id: randomUUID(), fields: fields(at), submitted_at, outbox: [] })),
      );
    } finally {
      await client.close();
    }
    const linesOf = async (query: string) => {
      const answer = await ours.api.raw(`${path}/submissions?form=contact${query}`, { headers: { accept: 'text/csv' } });
      expect([answer.status, answer.headers.get('x-total-count')]).toEqual([200, '151']);
      return (await answer.text()).split('\r\n').slice(0, -1);
    };
    const [header, ...rows] = await linesOf('');
    expect(header).toBe('id,form,page,submitted_at,name,oldest');
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(151);
    const names = rows.map((row) => row.split(',').slice(4).join(''));
    expect(names).toHaveLength(151);
    expect(names.slice(0, 3)).toEqual(['Ada', 'visitor 149', 'visitor 148']);
    expect(new Set(names)).toEqual(new Set(['Ada', ...Array.from({ length: 150 }, (_, at) => `visitor ${at}`)]));
    expect(await linesOf('&limit=100')).toHaveLength(101);
    expect(await linesOf('&offset=145')).toHaveLength(7);
  });

  test('updateSubmission: answers 200 with the submission, and 412 to an outdated ETag', async () => {
    const { path } = await projectWithForms();
    const [{ id }] = (await ours.api.get(`${path}/submissions?spam=true`)).expect(200).body.submissions;
    const changed = (await ours.api.patch(`${path}/submissions/${id}`, { spam: false })).expect(200);
    expect(Submission.parse(changed.body.submission)).toMatchObject({ id, spam: false });
    const etag = changed.headers.get('etag') ?? '';
    (await ours.api.patch(`${path}/submissions/${id}`, { spam: true }, { 'if-match': etag })).expect(200);
    (await ours.api.patch(`${path}/submissions/${id}`, { spam: false }, { 'if-match': etag })).expect(412, 'edited_meanwhile');
  });

  test.each([{ spam: 'no' }, { spam: null }, { fields: {} }, []])('updateSubmission: answers 400 to %j', async (body) => {
    const { path } = await projectWithForms();
    const [{ id }] = (await ours.api.get(`${path}/submissions`)).expect(200).body.submissions;
    (await ours.api.patch(`${path}/submissions/${id}`, body)).expect(400, 'validation_failed');
  });

  test('deleteSubmission: answers 200 once, then 404', async () => {
    const { path } = await projectWithForms();
    const [{ id }] = (await ours.api.get(`${path}/submissions`)).expect(200).body.submissions;
    expect((await ours.api.delete(`${path}/submissions/${id}`)).expect(200).body).toEqual({ deleted: true, id });
    (await ours.api.delete(`${path}/submissions/${id}`)).expect(404, 'submission_not_found');
    expect(namesIn((await ours.api.get(`${path}/submissions`)).expect(200).body)).toEqual(['Ada']);
  });

  test('getFormSettings, updateFormSettings: answer 200 with the settings, 400 to a bad address and 412 to an outdated ETag', async () => {
    const { path } = await projectWithForms();
    const read = (await ours.api.get(`${path}/settings`)).expect(200);
    expect(FormSettings.parse(read.body.settings)).toEqual({ notify: true, notification_email: null, notification_status: 'confirmed' });
    const etag = read.headers.get('etag') ?? '';
    const change = (body: unknown, headers = {}) => ours.api.patch(`${path}/settings`, body, headers);
    const changed = (await change({ notification_email: 'desk@example.com' }, { 'if-match': etag })).expect(200);
    expect(changed.body).toEqual({
      settings: { notify: true, notification_email: 'desk@example.com', notification_status: 'unconfirmed' },
    });
    (await change({ notify: false }, { 'if-match': etag })).expect(412, 'edited_meanwhile');
    for (const wrong of [{ notification_email: 'desk' }, { notify: null }, { other: true }])
      (await change(wrong)).expect(400, 'validation_failed');
    expect((await ours.api.get(`${path}/settings`)).expect(200).body).toEqual(changed.body);
  });

  test('listForms, listSubmissions, getFormSettings, updateFormSettings, updateSubmission, deleteSubmission: answer 403 without permission, 404 to foreign ids', async () => {
    const { id, path } = await projectWithForms();
    const [submission] = (await ours.api.get(`${path}/submissions`)).expect(200).body.submissions;
    const other = await agency();
    for (const below of ['', '/submissions', '/settings']) {
      const refused = (await ours.writeOnly.get(`${path}${below}`)).expect(403, 'permission_missing');
      expect(refused.headers.get('x-accepted-permissions')).toBe('read');
      for (const [api, project] of [
        [other.api, id],
        [ours.api, randomUUID()],
        [ours.api, 'x'],
      ] as const) {
        (await api.get(`/projects/${project}/forms${below}`)).expect(404, 'project_not_found');
      }
    }
    (await ours.readOnly.patch(`${path}/settings`, {})).expect(403, 'permission_missing');
    (await ours.readOnly.patch(`${path}/submissions/${submission.id}`, {})).expect(403, 'permission_missing');
    (await ours.readOnly.delete(`${path}/submissions/${submission.id}`)).expect(403, 'permission_missing');
    (await other.api.patch(`${path}/settings`, { notify: false })).expect(404, 'project_not_found');
    for (const [api, wrong] of [
      [other.api, submission.id],
      [ours.api, randomUUID()],
      [ours.api, 'x'],
    ] as const) {
      (await api.patch(`${path}/submissions/${wrong}`, { spam: true })).expect(404, 'submission_not_found');
      (await api.delete(`${path}/submissions/${wrong}`)).expect(404, 'submission_not_found');
    }
  });

  test('deleteProject: listSubmissions of a deleted project answers 404', async () => {
    const { id, path } = await projectWithForms();
    (await ours.api.delete(`/projects/${id}`)).expect(200);
    (await ours.api.get(`${path}/submissions`)).expect(404, 'project_not_found');
  });
});

describe('mails of forms', () => {
  const linkPattern = /http\S+\/form-mails\?token=[\w.-]+/;

  let ours: Agency;
  beforeAll(async () => {
    ours = await agency(undefined, { rateLimit: 1000 });
  });

  /** A published site whose form mails go to an address of nobody we know. */
  async function siteOf({ api }: Agency) {
    const desk = `desk-${randomUUID()}@example.com`;
    const { id } = await makeProject(api, undefined, { name: `Site ${randomUUID().slice(0, 8)}` });
    const { url } = (await api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
    const settings = `/projects/${id}/forms/settings`;
    (await api.patch(settings, { notification_email: desk })).expect(200);
    const status = async () => (await api.get(settings)).expect(200).body.settings.notification_status;
    const submit = async (message: string) => expect((await sendForm(origin, `${url}/_forms/contact`, { message })).status).toBe(303);
    return { id, desk, settings, status, submit, submissions: `/projects/${id}/forms/submissions` };
  }

  const press = (link: string, answer: string) => fetch(link, { method: 'POST', body: new URLSearchParams({ answer }) });

  test('an address is mailed submissions only after its owner pressed the button behind the link', async () => {
    const { id, desk, status, submit, submissions } = await siteOf(ours);
    const link = await mailedLink(platform, desk, linkPattern);
    await submit('before the answer');
    await formMailsDecided(platform, id);
    // Programs that look through mails open links: that must not agree.
    for (const method of ['GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200);
    expect(await status()).toBe('unconfirmed');
    expect(await (await press(link, 'agree')).text()).toContain('You receive form mails');
    expect(await status()).toBe('confirmed');
    await submit('after the answer');
    await eventually(() => expect(mailsTo(platform, desk).at(-1)).toContain('after the answer'));
    expect(mailsTo(platform, desk)).toHaveLength(2);
    expect((await ours.api.get(submissions)).expect(200).body.total).toBe(2);
  });

  test.each([
    ['a form body', () => new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })],
    [
      'a multipart body',
      () => {
        const body = new FormData();
        body.set('List-Unsubscribe', 'One-Click');
        return body;
      },
    ],
  ])('one click in the mail program ends the mails, by %s, without a cookie and as often as it is sent', async (_kind, body) => {
    const { desk, status, submit } = await siteOf(ours);
    await press(await mailedLink(platform, desk, linkPattern), 'agree');
    await submit('hello');
    const mail = await eventually(() => {
      const [, sent] = mailsTo(platform, desk);
      if (sent === undefined) throw new Error('no form mail yet');
      return sent;
    });
    const [head = ''] = mail.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n\r?\n/);
    expect(head).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    const url = /^List-Unsubscribe: <(\S+)>$/m.exec(head)?.[1] ?? '';
    expect(mail).toContain(url);
    for (let repeat = 0; repeat < 3; repeat++) expect((await fetch(url, { method: 'POST', body: body() })).status).toBe(200);
    expect(await status()).toBe('unsubscribed');
    expect(await (await press(url, 'agree')).text()).toContain('You receive form mails');
    expect(await status()).toBe('confirmed');
  });

  test('a forged link answers 404 and changes nothing', async () => {
    const { desk, status } = await siteOf(ours);
    const link = await mailedLink(platform, desk, linkPattern);
    for (const forged of [`${link}x`, `${origin}/form-mails?token=nonsense`, `${origin}/form-mails`]) {
      expect((await fetch(forged)).status).toBe(404);
      expect((await press(forged, 'agree')).status).toBe(404);
    }
    expect(await status()).toBe('unconfirmed');
  });

  test('resendFormConfirmation: answers 200 and mails the link again; 409 once it is answered', async () => {
    const { desk, settings } = await siteOf(ours);
    const first = await mailedLink(platform, desk, linkPattern);
    const { body } = (await ours.api.post(`${settings}/confirmation`)).expect(200);
    expect(body.settings).toEqual({ notify: true, notification_email: desk, notification_status: 'unconfirmed' });
    await eventually(() => expect(mailsTo(platform, desk)).toHaveLength(2));
    await press(first, 'withdraw');
    (await ours.api.post(`${settings}/confirmation`)).expect(409, 'confirmation_not_pending');
  });

  test(
    'resendFormConfirmation: answers 403 once the mails of the day are used up, and 404 to a foreign project',
    async () => {
      await withinOneDay();
      const small = await agency();
      const { desk, settings } = await siteOf(small);
      await mailedLink(platform, desk, linkPattern);
      await setLimit(small.organization.id, 'mails', 1);
      (await small.api.post(`${settings}/confirmation`)).expect(403, 'quota_exceeded');
      (await ours.api.post(`${settings}/confirmation`)).expect(404, 'project_not_found');
    },
    nextDayTimeoutMs,
  );
});
