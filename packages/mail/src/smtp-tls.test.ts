import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Authority } from '@webkiln/runtime/testing/certificates';
import { PlainServer, tlsHandshake } from '@webkiln/runtime/testing/plain-server';
import { connected, connectionOf } from '@webkiln/runtime/testing/tls-client';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

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
