import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { Pool } from 'undici';
import { OutboundRefusal } from '../refusal.ts';
import { NameServer } from '../testing/name-server.ts';
import { postTo } from '../testing/post-to.ts';
import { Receiver } from '../testing/receiver.ts';
import { AddressGuard } from './address-guard.ts';
import { guardedConnect } from './guarded-connect.ts';

const day = 86_400_000;
const certificateFor = async (name: string, notAfterDate = new Date(Date.now() + day)) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    notBeforeDate: new Date(Date.now() - 2 * day),
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
  return { key, cert };
};

const usual = getCACertificates('default');
afterEach(() => setDefaultCACertificates(usual));

const names = () => NameServer.start({ 'hooks.example': { A: ['127.0.0.1'] } });

test('TLS uses the name for SNI, Host and the certificate check', async () => {
  const certificate = await certificateFor('hooks.example');
  setDefaultCACertificates([...usual, certificate.cert]);
  await using server = await names();
  const seen: unknown[] = [];
  await using receiver = await Receiver.start((request, response) => {
    seen.push((request.socket as TLSSocket & { servername: unknown }).servername, request.headers.host);
    response.end('ok');
  }, certificate);
  const rules = receiver.rules({ allowHttp: false, dnsServers: [server.address] });
  expect(await postTo(`https://hooks.example:${receiver.port}/`, rules)).toMatchObject({ outcome: 'answered', status: 200 });
  expect(seen).toEqual(['hooks.example', `hooks.example:${receiver.port}`]);
});

test.each([
  ['self-signed', 'hooks.example', false, day, 'The certificate of the receiver is self-signed.'],
  ['for another name', 'other.example', true, day, 'The certificate of the receiver is for another name.'],
  ['expired', 'hooks.example', true, -day, 'The certificate of the receiver has expired.'],
])('a receiver whose certificate is %s gets nothing', async (_what, name, isTrusted, endsInMs, reason) => {
  const certificate = await certificateFor(name, new Date(Date.now() + endsInMs));
  if (isTrusted) setDefaultCACertificates([...usual, certificate.cert]);
  await using server = await names();
  await using receiver = await Receiver.start((_request, response) => response.end(), certificate);
  const rules = receiver.rules({ dnsServers: [server.address] });
  expect(await postTo(`https://hooks.example:${receiver.port}/`, rules)).toMatchObject({ outcome: 'failed', reason });
  expect(receiver.requests).toBe(0);
});

test('a receiver without TLS fails with a reason that says so', async () => {
  await using receiver = await Receiver.start((_request, response) => response.end());
  expect(await postTo(`https://127.0.0.1:${receiver.port}/`, receiver.rules())).toMatchObject({
    outcome: 'failed',
    reason: 'The receiver does not speak TLS as it should.',
  });
});

const bare = (origin: string, exceptions: string[], resolve: () => Promise<string[]>) =>
  new Pool(origin, { connect: guardedConnect(new AddressGuard(exceptions), resolve) });

test('a literal address is checked without a look-up', async () => {
  await using receiver = await Receiver.start((_request, response) => response.end());
  const pool = bare(`http://127.0.0.1:${receiver.port}`, [], () => Promise.resolve([]));
  await expect(pool.request({ method: 'POST', path: '/' })).rejects.toBeInstanceOf(OutboundRefusal);
  expect(receiver.connections).toBe(0);
  await pool.destroy();
});

test('a connection to an unchecked address is closed before anything is sent', async () => {
  await using receiver = await Receiver.start((_request, response) => response.end());
  const guard = new AddressGuard([]);
  // Simulates a wrong check: the connected address is checked once more.
  jest.spyOn(guard, 'assertAll').mockReturnValue(undefined);
  const pool = new Pool(`http://hooks.example:${receiver.port}`, { connect: guardedConnect(guard, () => Promise.resolve(['127.0.0.1'])) });
  await expect(pool.request({ method: 'POST', path: '/' })).rejects.toBeInstanceOf(OutboundRefusal);
  expect(receiver.requests).toBe(0);
  await pool.destroy();
});
