import { Authority } from '@webkiln/runtime/testing/certificates';
import { PlainServer, tlsHandshake } from '@webkiln/runtime/testing/plain-server';
import { startServer, writeCertificate } from '@webkiln/runtime/testing/server-process';
import { connected, connectionOf } from '@webkiln/runtime/testing/tls-client';

const client = require.resolve('./testing/tls-client.ts');
const ours = Authority.create();
const foreign = Authority.create();

async function startMongod() {
  const certificate = await (await ours).issue('db.test');
  return startServer(process.env.MONGODB_SERVER_BIN ?? 'mongod', ({ port, folder }) => [
    ...['--dbpath', folder, '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket', '--wiredTigerCacheSizeGB', '0.25'],
    ...['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', writeCertificate(folder, certificate).pair],
  ]);
}

test('with tls=true, MongoDB is believed with a certificate of an authority in NODE_EXTRA_CA_CERTS, for its host name alone', async () => {
  await using mongod = await startMongod();
  const url = (host: string) => `mongodb://${host}:${mongod.port}/?tls=true`;
  expect(await connectionOf(client, url('127.0.0.1'), (await ours).cert)).toBe(connected);
  expect(await connectionOf(client, url('127.0.0.1'), (await foreign).cert)).toContain('MongoDB is unreachable');
  expect(await connectionOf(client, url('localhost'), (await ours).cert)).toContain('MongoDB is unreachable');
});

test('with tls=true, nothing readable is sent to a server without TLS', async () => {
  await using plain = await PlainServer.start();
  const url = `mongodb://ada:s3cret@127.0.0.1:${plain.port}/?tls=true`;
  expect(await connectionOf(client, url, (await ours).cert)).toContain('MongoDB is unreachable');
  expect(plain.received.startsWith(tlsHandshake)).toBe(true);
  expect(plain.received).not.toMatch(/ada|s3cret|hello|ismaster/i);
});
