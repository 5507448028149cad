import { withNats } from '@webkiln/events/testing';
import { type Mailer, mailerFor } from '@webkiln/mail';
import { type MailServer, startMailServer } from '@webkiln/mail/testing';
import { call } from '@webkiln/rpc';
import { testCaller, until } from '@webkiln/store/testing';
import { useIdentity } from '../testing/identity-process.ts';
import { newClient } from '../testing/records.ts';
import { activationPage, newOrganization, projectsTemplates, tokens, useClientsPlans } from '../testing/running-service.ts';
import { allHandled, published } from '../testing/test-stream.ts';
import { onClientInvited } from './on-client-invited.ts';

/** The activation link in a mail's text, after decoding quoted-printable (RFC 2045 §6.7). */
function linkIn(message: string): URL {
  const text = message.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const link = /https?:\/\/\S+\/activate\?\S+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`no activation link in ${message}`);
  return new URL(link);
}

const tokenIn = (message: string): string => linkIn(message).searchParams.get('token') ?? '';

let server: MailServer;
let mailer: Mailer;
const overQuota = new Set<string>();

afterAll(async () => {
  mailer.close();
  await server.close();
});
const identity = useIdentity();
const stream = useClientsPlans(identity.address);
beforeAll(async () => {
  server = await startMailServer();
  mailer = mailerFor({ SMTP_URL: server.url }, async ({ org_id }) => !overQuota.has(org_id));
  onClientInvited({ tokens, mailer, from: { name: 'Kiln', address: 'hello@kiln.example' }, origin: 'https://kiln.example' });
});

const newEmail = () => `${newOrganization()}@example.com`;
const mailsTo = (email: string) => server.received.filter(({ to }) => to === email).map(({ message }) => message);
const mailed = async (email: string, count: number) => {
  await until(() => mailsTo(email).length >= count);
  return mailsTo(email);
};
const eventsOf = async (org: string, type: 'client.created' | 'internal.client.invited') =>
  (await published<'client.created' | 'internal.client.invited'>(stream, type)).filter(({ org_id }) => org_id === org);

const allMailed = (unhandled = 0) =>
  allHandled(stream, 'clients-plans-invitation-mail', ['client.created', 'internal.client.invited'], unhandled);

const setStatus = (org: string, client_id: string, status: string) =>
  call('clients.UpdateClient', { client_id, status, update_mask: ['status'] }, testCaller(org));
const accepting = (org_id: string, client_id: string) => ({
  token: tokens.issue({ org_id, client_id, invitation: 1 }, new Date()),
  password: 'correct horse battery',
});

test('a new client gets one mail, with a link for this invitation', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  const client_id = await newClient(org, { email, name: 'Ada' });
  const [message = ''] = await mailed(email, 1);
  expect(message).toContain(`<invitation.${client_id}.1@kiln.example>`);
  expect(message).toContain('From: Harbour Studio <hello@kiln.example>');
  expect(message).toContain('Subject: Harbour Studio has invited you');
  const link = linkIn(message);
  expect(link.origin + link.pathname).toBe('https://kiln.example/activate');
  expect(tokens.read(tokenIn(message), new Date())).toEqual({ org_id: org, client_id, invitation: 1 });
});

test('the organization as its own client gets no mail', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  await identity.member(org, email, 'correct horse battery');
  await call('clients.AdmitOwnClient', { email, actor: { kind: 'account', id: 'ada' } }, projectsTemplates(org));
  expect(await eventsOf(org, 'client.created')).toHaveLength(1);
  await allMailed();
  expect(mailsTo(email)).toEqual([]);
});

test('a redelivered invitation event is not mailed again', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  await newClient(org, { email });
  await mailed(email, 1);
  // The mail is out before it is noted that it is.
  await allMailed();
  const [event] = await eventsOf(org, 'client.created');
  await withNats((connection) => connection.jetstream().publish(`${stream.subjectPrefix}events.client.created`, JSON.stringify(event)));
  await allMailed();
  expect(mailsTo(email)).toHaveLength(1);
});

test('each resent invitation is one more mail, with a new link', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  const client_id = await newClient(org, { email });
  await mailed(email, 1);
  await call('clients.ResendInvitation', { client_id }, testCaller(org));
  const numbers = (await mailed(email, 2)).map((message) => tokens.read(tokenIn(message), new Date()).invitation);
  expect(numbers).toEqual([1, 2]);
});

test('a temporary refusal of the mail server is retried until it accepts the mail', async () => {
  const email = newEmail();
  server.refuse(email, '451 try again later');
  await newClient(await identity.organization('Harbour Studio'), { email });
  await until(() => server.offers(email) > 0);
  server.take(email);
  expect(await mailed(email, 1)).toHaveLength(1);
});

test('a permanent refusal of the mailbox is not retried', async () => {
  const email = newEmail();
  server.refuse(email, '550 no such mailbox');
  await newClient(await identity.organization('Harbour Studio'), { email });
  await allMailed();
  expect(server.offers(email)).toBe(1);
});

test('an invitation that was replaced before its mail was sent is not mailed', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  server.refuse(email, '451 try again later');
  const client_id = await newClient(org, { email });
  await until(() => server.offers(email) > 0);
  await call('clients.ResendInvitation', { client_id }, testCaller(org));
  // The second is refused as well: only the first can be handled, without a mail, before the server takes one.
  await allMailed(1);
  server.take(email);
  await allMailed();
  expect(mailsTo(email).map((message) => tokens.read(tokenIn(message), new Date()).invitation)).toEqual([2]);
});

test('a client that the agency made active meanwhile still gets its link', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  server.refuse(email, '451 try again later');
  const client_id = await newClient(org, { email });
  await until(() => server.offers(email) > 0);
  await setStatus(org, client_id, 'active');
  server.take(email);
  expect(await mailed(email, 1)).toHaveLength(1);
});

test.each([
  ['activated', (org: string, client_id: string) => call('clients.AcceptInvitation', accepting(org, client_id), activationPage())],
  ['suspended', setStatus],
  ['churned', setStatus],
])('a client that is %s by the time of sending gets no mail', async (status, change) => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  server.refuse(email, '451 try again later');
  const client_id = await newClient(org, { email });
  await until(() => server.offers(email) > 0);
  await change(org, client_id, status);
  // The server refuses until the event is handled: an attempt that began before the change cannot mail.
  await allMailed();
  server.take(email);
  expect(mailsTo(email)).toEqual([]);
});

test('an invitation over the quota of mails ends without a mail', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  overQuota.add(org);
  await newClient(org, { email });
  await allMailed();
  overQuota.delete(org);
  expect(mailsTo(email)).toEqual([]);
});

test('no event contains the token', async () => {
  const [org, email] = [await identity.organization('Harbour Studio'), newEmail()];
  const client_id = await newClient(org, { email });
  await call('clients.ResendInvitation', { client_id }, testCaller(org));
  const [created, invited] = [await eventsOf(org, 'client.created'), await eventsOf(org, 'internal.client.invited')];
  expect(created.map(({ data }) => data)).toEqual([{ client: expect.objectContaining({ id: client_id, email }) }]);
  expect(invited.map(({ data }) => data)).toEqual([{ client_id, email, name: null, invitation: 2 }]);
  const [message = ''] = await mailed(email, 1);
  expect(JSON.stringify([created, invited])).not.toContain(tokenIn(message));
});
