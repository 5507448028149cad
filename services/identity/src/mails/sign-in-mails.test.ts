import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { ownStream, removeStream } from '@webkiln/events/testing';
import { mailerFor } from '@webkiln/mail';
import { admitAll } from '@webkiln/mail/testing';
import { serviceCaller } from '@webkiln/messages';
import { unscoped } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { accountByEmail, changeAccount } from '../accounts/account-store.ts';
import { onAccountMail } from '../reactions/on-account-mail.ts';
import { eventsAnswer } from '../testing/running-identity.ts';
import { killReplica, type Replica, startReplica } from '../testing/start-replica.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { AccountMailModel, AccountMailStore } from './account-mail-store.ts';

const origin = 'http://localhost';
const password = 'correct horse battery';
const confirmLink = /http:\/\/localhost\/confirm-email\?token=[\w.-]+/;
const newEmail = () => `${randomUUID()}@example.com`;

const stream = ownStream();

afterAll(async () => {
  await closeEvents();
  await removeStream(stream.stream);
});
useTestStore();

let replica: Replica;
let mailFolder: string;
beforeAll(async () => {
  mailFolder = mkdtempSync(path.join(tmpdir(), 'webkiln-mails-'));
  replica = await startReplica(origin);
});
afterAll(async () => {
  await killReplica(replica);
  rmSync(mailFolder, { recursive: true });
});

async function ask(route: string, body: object, { port } = replica): Promise<number> {
  const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': randomUUID() };
  return (await fetch(`http://127.0.0.1:${port}/api/auth${route}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

const signUp = (email: string, at = replica) => ask('/sign-up/email', { name: 'Ada', email, password }, at);
const kept = () => unscoped(AccountMailModel).find({});

test('requesting a mail costs one write, whether or not the account exists', async () => {
  const known = newEmail();
  await signUp(known);
  for (const [route, body] of [
    ['/request-password-reset', { email: known }],
    ['/request-password-reset', { email: newEmail() }],
    ['/send-verification-email', { email: known }],
    ['/send-verification-email', { email: newEmail() }],
    ['/sign-up/email', { name: 'Eve', email: known, password }],
    ['/sign-up/email', { name: 'Eve', email: newEmail(), password }],
  ] as const) {
    const before = new Set((await kept()).map(({ _id }) => _id));
    expect(await ask(route, body)).toBe(200);
    expect([route, (await kept()).filter(({ _id }) => !before.has(_id)).length]).toEqual([route, 1]);
  }
});

test('if the process is killed as it responds, another one sends the mail once; meanwhile the database does not reveal its link', async () => {
  const email = newEmail();
  const doomed = await startReplica(origin);
  expect(await signUp(email, doomed)).toBe(200);
  await killReplica(doomed);
  const stolen = (await stolenDatabase()).toString('latin1');
  expect(stolen).toContain(email);
  expect(stolen).not.toContain('confirm-email?token=');

  await connectEvents(process.env.NATS_URL ?? '', 'identity', stream);
  await eventsAnswer();
  startRelay();
  const from = { name: 'Webkiln', address: 'webkiln@example.com' };
  onAccountMail({ mails: new AccountMailStore(['a'.repeat(32)]), mailer: mailerFor({ MAIL_DIR: mailFolder }, admitAll), from, origin });
  const mails = () => readdirSync(mailFolder).filter((name) => name.endsWith(`-${email}.eml`));
  await until(async () => mails().length > 0);
  const [name = ''] = mails();
  const text = readFileSync(path.join(mailFolder, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const link = new URL(confirmLink.exec(text)?.[0] ?? '');
  expect(await ask('/confirm-email', { token: link.searchParams.get('token') })).toBe(200);
  expect(await ask('/sign-in/email', { email, password })).toBe(200);
  expect(mails()).toHaveLength(1);
  // The tests after it look at mails that nobody has sent yet.
  await closeEvents();
});

test('the link that confirms an address signs nobody in to an account with a second factor', async () => {
  const confirm = async (change: { two_factor?: boolean }) => {
    const email = newEmail();
    await signUp(email);
    const { _id } = (await accountByEmail(email)) ?? { _id: '' };
    await changeAccount(serviceCaller('identity'), _id, change);
    const mails = new AccountMailStore(['a'.repeat(32)]);
    const all = await Promise.all((await kept()).map((mail) => mails.find(mail._id)));
    const url = all.find((mail) => mail?.email === email && mail.purpose === 'verify')?.link?.url ?? '';
    const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': randomUUID() };
    const body = JSON.stringify({ token: new URL(url).searchParams.get('token') });
    const answer = await fetch(`http://127.0.0.1:${replica.port}/api/auth/confirm-email`, { method: 'POST', headers, body });
    return [answer.status, answer.headers.getSetCookie().length > 0, (await accountByEmail(email))?.email_verified];
  };
  expect(await confirm({ two_factor: true })).toEqual([200, false, true]);
  expect(await confirm({})).toEqual([200, true, true]);
});

test('a mail that somebody asked for names their network, and one that only its owner can cause names none', async () => {
  const email = newEmail();
  await signUp(email);
  const { _id } = (await accountByEmail(email)) ?? { _id: '' };
  await changeAccount(serviceCaller('identity'), _id, { email_verified: true });
  const mails = new AccountMailStore(['a'.repeat(32)]);
  const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': '203.0.113.7' };
  const post = (route: string, body: object) =>
    fetch(`http://127.0.0.1:${replica.port}/api/auth${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const mailsOf = async (purpose: string) => {
    const all = await Promise.all((await kept()).map((mail) => mails.find(mail._id)));
    return all.filter((mail) => mail?.email === email && mail.purpose === purpose);
  };
  expect((await post('/request-password-reset', { email })).status).toBe(200);
  const [reset] = await mailsOf('reset');
  expect(reset).toMatchObject({ network: '203.0.113.0/24' });
  const token = new URL(reset?.link?.url ?? '').searchParams.get('token');
  expect((await post('/reset-password', { token, newPassword: 'another correct horse' })).status).toBe(200);
  const [notice] = await mailsOf('notice');
  expect(notice).toMatchObject({ subject: 'Your password was changed' });
  expect(notice).not.toHaveProperty('network');
});

test('a mail is in the language of its recipient’s account, which is the browser’s at first', async () => {
  const email = newEmail();
  const mails = new AccountMailStore(['a'.repeat(32)]);
  const askIn = async (language: string, route: string, body: object) => {
    const headers = { 'content-type': 'application/json', origin, 'x-webkiln-client-address': randomUUID(), 'accept-language': language };
    const url = `http://127.0.0.1:${replica.port}/api/auth${route}`;
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(200);
  };
  await askIn('de-AT, en;q=0.5', '/sign-up/email', { name: 'Ada', email, password });
  await askIn('fr', '/request-password-reset', { email });
  const { _id, language } = (await accountByEmail(email)) ?? { _id: '' };
  expect(language).toBe('de');
  await changeAccount(serviceCaller('identity'), _id, { language: 'es' });
  await askIn('fr', '/request-password-reset', { email });
  const all = await Promise.all((await kept()).map((mail) => mails.find(mail._id)));
  const told = all.flatMap((mail) => (mail?.email === email ? [`${mail.language}: ${mail.subject}`] : []));
  expect(told.toSorted()).toEqual([
    'de: Bestätigen Sie Ihre E-Mail-Adresse',
    'de: Wählen Sie ein neues Passwort',
    'es: Elija una contraseña nueva',
  ]);
});

test('an expired mail is not sent', async () => {
  const mails = new AccountMailStore(['a'.repeat(32)]);
  await mails.save({ purpose: 'notice', email: newEmail(), subject: 'Late', about: 'Late.' }, -1);
  const late = (await kept()).find(({ expires_at }) => expires_at < new Date());
  expect(await mails.find(late?._id ?? '')).toBeNull();
});
