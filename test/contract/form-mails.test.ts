import { randomUUID } from 'node:crypto';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { setLimit } from '../harness/operator.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm } from '../harness/visitor.ts';
import { makeProject } from './fixtures.ts';

const platform = sharedPlatform();
const [origin = ''] = platform.origins;
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
  return { desk, settings, status, submit, submissions: `/projects/${id}/forms/submissions` };
}

const press = (link: string, answer: string) => fetch(link, { method: 'POST', body: new URLSearchParams({ answer }) });

test('an address is mailed submissions only after its owner pressed the button behind the link', async () => {
  const { desk, status, submit, submissions } = await siteOf(ours);
  const link = await mailedLink(platform, desk, linkPattern);
  await submit('before the answer');
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

test('resendFormConfirmation: answers 403 once the mails of the day are used up, and 404 to a foreign project', async () => {
  const small = await agency();
  const { desk, settings } = await siteOf(small);
  await mailedLink(platform, desk, linkPattern);
  await setLimit(small.organization.id, 'mails', 1);
  (await small.api.post(`${settings}/confirmation`)).expect(403, 'quota_exceeded');
  (await ours.api.post(`${settings}/confirmation`)).expect(404, 'project_not_found');
});
