import { Authority } from '@webkiln/runtime/testing/certificates';
import { PlainServer, tlsHandshake } from '@webkiln/runtime/testing/plain-server';
import { startServer, writeCertificate } from '@webkiln/runtime/testing/server-process';
import { connected, connectionOf } from '@webkiln/runtime/testing/tls-client';

const client = require.resolve('../testing/tls-client.ts');
const ours = Authority.create();
const foreign = Authority.create();

async function startRedis() {
  const certificate = await (await ours).issue('cache.test');
  return startServer(process.env.REDIS_SERVER_BIN ?? 'redis-server', ({ port, folder }) => {
    const { cert, key, ca } = writeCertificate(folder, certificate);
    return [
      ...['--bind', '127.0.0.1', '--port', '0', '--tls-port', String(port), '--dir', folder, '--save', ''],
      ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'no'],
    ];
  });
}

test('with rediss://, Redis is believed with a certificate of an authority in NODE_EXTRA_CA_CERTS, for its host name alone', async () => {
  await using redis = await startRedis();
  const url = (host: string) => `rediss://${host}:${redis.port}`;
  expect(await connectionOf(client, url('127.0.0.1'), (await ours).cert)).toBe(connected);
  expect(await connectionOf(client, url('127.0.0.1'), (await foreign).cert)).toContain('certificate');
  expect(await connectionOf(client, url('localhost'), (await ours).cert)).toContain("does not match certificate's altnames");
});

test('with rediss://, nothing readable is sent to a server without TLS', async () => {
  await using plain = await PlainServer.start('-ERR speak up\r\n');
  const outcome = await connectionOf(client, `rediss://ada:s3cret@127.0.0.1:${plain.port}`, (await ours).cert);
  expect(outcome).not.toContain(connected);
  expect(plain.received.startsWith(tlsHandshake)).toBe(true);
  expect(plain.received).not.toMatch(/ada|s3cret|AUTH|INFO/);
});
