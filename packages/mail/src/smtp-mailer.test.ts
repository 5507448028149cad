import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AppError } from '@webkiln/contract';
import { Postponed } from '@webkiln/runtime';
import { Authority } from '@webkiln/runtime/testing/certificates';
import { PlainServer, tlsHandshake } from '@webkiln/runtime/testing/plain-server';
import { connected, connectionOf } from '@webkiln/runtime/testing/tls-client';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Mail, MailTransport } from './mail.ts';
import { smtpMailer } from './smtp-mailer.ts';
import { type MailServer, startMailServer } from './testing/mail-server.ts';

let server: MailServer;
let mailer: MailTransport;
beforeEach(async () => {
  server = await startMailServer();
  mailer = smtpMailer(server.url, { timeoutMs: 60_000 });
});
afterEach(async () => {
  mailer.close();
  await server.close();
});

let count = 0;
const mailTo = (address: string, org_id = 'org'): Mail => ({
  org_id,
  purpose: 'notice',
  messageId: `<${++count}@kiln.example>`,
  date: new Date(),
  from: { name: 'Kiln', address: 'hello@kiln.example' },
  to: { name: '', address },
  subject: 'Hello',
  text: 'Hello',
});
/** Comes again as long as others come first, like a consumer. */
async function sendPatiently(by: MailTransport, mail: Mail): Promise<void> {
  for (;;) {
    const postponed = await by.send(mail).catch((error) => (error instanceof Postponed ? error : Promise.reject(error)));
    if (postponed === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(postponed.delayMs, 10)));
  }
}
const arrivedAt = (address: string) => server.received.filter(({ to }) => to === address).length;

test.each(['550 no such mailbox', '554 refused', '552 full'])('a mail whose recipient is refused with %s ends', async (reply) => {
  server.refuse('gone@a.example', reply);
  await mailer.send(mailTo('gone@a.example'));
  expect([server.offers('gone@a.example'), arrivedAt('gone@a.example')]).toEqual([1, 0]);
});

test('a mail whose text is refused with 554 ends', async () => {
  server.refuseText(/^spam@/, '554 looks like spam');
  await mailer.send(mailTo('spam@a.example'));
  expect([server.offers('spam@a.example'), arrivedAt('spam@a.example')]).toEqual([1, 0]);
});

test('a mail that is refused for now is to be retried; the error does not contain its address', async () => {
  server.refuse('later@a.example', '450 <later@a.example> try later');
  server.refuseText(/^busy@/, '451 try later');
  const error = await mailer.send(mailTo('later@a.example')).catch((thrown) => thrown);
  expect(error).not.toBeInstanceOf(AppError);
  expect(String(error)).toContain('450');
  expect(String(error)).not.toContain('later@a.example');
  await expect(mailer.send(mailTo('busy@b.example'))).rejects.toThrow('451');
});

test.each(['421 going down', '530 authentication required'])('a reply that is not about the mail, %s, is unavailable', async (reply) => {
  server.refuse('ada@a.example', reply);
  await expect(mailer.send(mailTo('ada@a.example'))).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a mail server that is away is unavailable', async () => {
  await server.close();
  await expect(mailer.send(mailTo('ada@a.example'))).rejects.toMatchObject({ kind: 'unavailable' });
});

test('mails to a domain that hangs are put off, and those to others arrive', async () => {
  const quick = smtpMailer(server.url, { timeoutMs: 5_000 });
  server.refuseText(/hangs\.example$/, 'nothing');
  const hanging = Array.from({ length: 50 }, (_, index) => quick.send(mailTo(`${index}@sub${index}.hangs.example`, `org-${index}`)));
  const failures = Promise.all(hanging.map((sent) => sent.catch((error) => error)));
  await sendPatiently(quick, mailTo('ada@a.example'));
  expect(arrivedAt('ada@a.example')).toBe(1);
  const kinds = (await failures).map((error) => error instanceof Postponed);
  expect(kinds.filter((isPostponed) => !isPostponed)).toHaveLength(8);
  await expect(quick.send(mailTo('more@hangs.example', 'another'))).rejects.toBeInstanceOf(Postponed);
  quick.close();
});

test('a mail that hangs pauses its domain for its organization alone; once mails of a second one hang, for all', async () => {
  const quick = smtpMailer(server.url, { timeoutMs: 2_000 });
  server.refuseText(/^slow@/, 'nothing');
  const send = (local: string, org_id: string) => quick.send(mailTo(`${local}@big.example`, org_id)).catch((error) => error);
  expect(await send('slow', 'first')).not.toBeInstanceOf(Postponed);
  expect(await send('ada', 'first')).toBeInstanceOf(Postponed);
  expect(await send('ada', 'second')).toBeUndefined();
  expect(await quick.send(mailTo('ada@other.example', 'first'))).toBeUndefined();
  expect(await send('slow', 'third')).not.toBeInstanceOf(Postponed);
  expect(await send('slow', 'fourth')).not.toBeInstanceOf(Postponed);
  expect(await send('ada', 'second')).toBeInstanceOf(Postponed);
  quick.close();
});

test('a mail that pauses have kept for a day fails, so that it ends some day', async () => {
  const quick = smtpMailer(server.url, { timeoutMs: 2_000 });
  server.refuseText(/^slow@/, 'nothing');
  const late = () => quick.send({ ...mailTo('slow@a.example'), date: new Date(Date.now() - 25 * 3600_000) }).catch((error) => error);
  expect(await late()).not.toBeInstanceOf(Postponed);
  expect(await late()).not.toBeInstanceOf(Postponed);
  expect(server.offers('slow@a.example')).toBe(1);
  quick.close();
});

test('mails about accounts arrive while mails of organizations hold all of their connections', async () => {
  const patient = smtpMailer(server.url, { timeoutMs: 60_000 });
  server.refuseText(/^slow@/, 'nothing');
  let ended = 0;
  const hanging = Array.from({ length: 16 }, (_, at) =>
    patient.send(mailTo(`slow@${at % 4}.example`, `organization ${Math.floor(at / 4)}`)),
  );
  for (const sent of hanging) sent.catch(() => undefined).finally(() => ended++);
  const offers = () => [0, 1, 2, 3].reduce((sum, at) => sum + server.offers(`slow@${at}.example`), 0);
  while (offers() < hanging.length) await new Promise((resolve) => setTimeout(resolve, 5));
  await patient.send(mailTo('ada@0.example', ''));
  expect([arrivedAt('ada@0.example'), ended]).toEqual([1, 0]);
  patient.close();
});

describe('TLS', () => {
  const client = require.resolve('./testing/tls-client.ts');
  const ours = Authority.create();
  const foreign = Authority.create();

  /** A mail server that keeps the passwords and the number of mails that it gets. */
  async function startServer(options: SMTPServerOptions) {
    const got: { passwords: unknown[]; mails: number } = { passwords: [], mails: 0 };
    const server = new SMTPServer({
      ...options,
      onAuth({ password }, _session, done) {
        got.passwords.push(password);
        done(null, { user: 'ada' });
      },
      onData(stream, _session, done) {
        got.mails++;
        stream.resume().on('end', done);
      },
    });
    server.on('error', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.server.address() as AddressInfo;
    return { port, got, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)) };
  }

  describe.each([
    ['smtps://', 'smtps', '', true],
    ['smtp:// and requireTLS=true', 'smtp', '?requireTLS=true', false],
  ])('with %s', (_what, scheme, query, secure) => {
    const urlOf = (host: string, port: number) => `${scheme}://ada:s3cret@${host}:${port}${query}`;

    test('the mail server is believed with a certificate of an authority in NODE_EXTRA_CA_CERTS, for its host name alone', async () => {
      const { cert, key } = await (await ours).issue('mail.test');
      await using server = await startServer({ cert, key, secure });
      expect(await connectionOf(client, urlOf('127.0.0.1', server.port), (await ours).cert)).toBe(connected);
      expect(await connectionOf(client, urlOf('127.0.0.1', server.port), (await foreign).cert)).toContain('certificate');
      expect(await connectionOf(client, urlOf('localhost', server.port), (await ours).cert)).toContain('altnames');
      expect(server.got).toEqual({ passwords: ['s3cret'], mails: 1 });
    });
  });

  test('with smtps://, nothing readable is sent to a server without TLS', async () => {
    await using plain = await PlainServer.start('220 mail.test\r\n');
    expect(await connectionOf(client, `smtps://ada:s3cret@127.0.0.1:${plain.port}`, (await ours).cert)).not.toBe(connected);
    expect(plain.received.startsWith(tlsHandshake)).toBe(true);
    expect(plain.received).not.toMatch(/EHLO|AUTH/);
  });

  test('with requireTLS=true, a server that offers no STARTTLS gets neither password nor mail', async () => {
    await using server = await startServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const url = `smtp://ada:s3cret@127.0.0.1:${server.port}`;
    expect(await connectionOf(client, `${url}?requireTLS=true`, (await ours).cert)).not.toBe(connected);
    expect(server.got).toEqual({ passwords: [], mails: 0 });
    expect(await connectionOf(client, url, (await ours).cert)).toBe(connected);
  });
});
