import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { Pool } from 'undici';
import { Outbound } from '../outbound.ts';
import { NameServer } from '../testing/name-server.ts';
import { postTo } from '../testing/post-to.ts';
import { Receiver } from '../testing/receiver.ts';
import { AddressGuard, guardedConnect, OutboundRefusal } from './guarded-connect.ts';
import { isPublicAddress } from './special-purpose.ts';

describe('guarded connect', () => {
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
    const pool = new Pool(`http://hooks.example:${receiver.port}`, {
      connect: guardedConnect(guard, () => Promise.resolve(['127.0.0.1'])),
    });
    await expect(pool.request({ method: 'POST', path: '/' })).rejects.toBeInstanceOf(OutboundRefusal);
    expect(receiver.requests).toBe(0);
    await pool.destroy();
  });

  const ok = () => Receiver.start((_request, response) => response.end('ok'));

  test('the checked addresses are dialled without a second look-up', async () => {
    await using receiver = await ok();
    await using names = await NameServer.start({ 'rebinding.example': [{ A: ['127.0.0.1'] }, { A: ['10.255.255.1'] }] });
    const answer = await postTo(`http://rebinding.example:${receiver.port}/`, receiver.rules({ dnsServers: [names.address] }));
    expect(answer).toMatchObject({ outcome: 'answered', status: 200 });
    expect(names.asked('rebinding.example', 'A')).toBe(1);
  });

  test('a name that was public when saved is refused if it is not when called', async () => {
    await using receiver = await ok();
    await using names = await NameServer.start({ 'rebinding.example': [{ A: ['93.184.216.34'] }, { A: ['127.0.0.1'] }] });
    const outbound = new Outbound(receiver.rules({ dnsServers: [names.address], allowedCidrs: [] }));
    const url = `http://rebinding.example:${receiver.port}/`;
    await outbound.assertAllowed(url);
    expect(await outbound.post({ url, headers: {}, body: '', timeoutMs: 20_000 })).toMatchObject({
      outcome: 'failed',
      reason: 'rebinding.example resolves to an address that is not public.',
    });
    expect(receiver.connections).toBe(0);
    await outbound.close();
  });

  test('an exception counts for a name only when it covers all of its addresses', async () => {
    await using receiver = await ok();
    await using names = await NameServer.start({
      'mixed.example': { A: ['127.0.0.1', '10.0.0.1'] },
      'both.example': { A: ['127.0.0.1'], AAAA: ['::1'] },
    });
    const rules = receiver.rules({ dnsServers: [names.address] });
    expect(await postTo(`http://mixed.example:${receiver.port}/`, rules)).toMatchObject({ outcome: 'failed' });
    expect(await postTo(`http://both.example:${receiver.port}/`, rules)).toMatchObject({ outcome: 'failed' });
    expect(receiver.connections).toBe(0);
    const wider = { ...rules, allowedCidrs: ['127.0.0.0/8', '10.0.0.0/8', '::1'] };
    expect(await postTo(`http://mixed.example:${receiver.port}/`, wider)).toMatchObject({ outcome: 'answered' });
  });

  test('a chain of aliases is followed to its addresses', async () => {
    await using receiver = await ok();
    await using names = await NameServer.start({
      'a.example': { CNAME: 'b.example' },
      'b.example': { CNAME: 'c.example' },
      'c.example': { A: ['127.0.0.1'] },
    });
    const rules = receiver.rules({ dnsServers: [names.address] });
    expect(await postTo(`http://a.example:${receiver.port}/`, rules)).toMatchObject({ outcome: 'answered' });
    expect(await postTo(`http://a.example:${receiver.port}/`, { ...rules, allowedCidrs: [] })).toMatchObject({ outcome: 'failed' });
  });

  test('a name without an address fails with a reason that names it', async () => {
    await using receiver = await ok();
    await using names = await NameServer.start({ 'empty.example': {} });
    const rules = receiver.rules({ dnsServers: [names.address] });
    for (const name of ['empty.example', 'unknown.example']) {
      expect(await postTo(`http://${name}:${receiver.port}/`, rules)).toMatchObject({ reason: `The name ${name} does not resolve.` });
    }
  });

  test('a silent name server delays an attempt no longer than its timeout', async () => {
    await using receiver = await ok();
    await using names = await NameServer.start();
    names.isSilent = true;
    const outbound = new Outbound(receiver.rules({ dnsServers: [names.address] }));
    const url = `http://slow.example:${receiver.port}/`;
    expect(await outbound.post({ url, headers: {}, body: '', timeoutMs: 200 })).toMatchObject({
      reason: 'The receiver could not be connected to within 0.2 s.',
    });
    await outbound.assertAllowed(url);
    await outbound.close();
  });

  test('the system resolves names if no name servers are set', async () => {
    await using receiver = await ok();
    const rules = receiver.rules();
    expect(await postTo(`http://localhost:${receiver.port}/`, rules)).toMatchObject({ outcome: 'answered' });
    expect(await postTo(`http://no-such-name.invalid:${receiver.port}/`, rules)).toMatchObject({
      reason: 'The name no-such-name.invalid does not resolve.',
    });
  });
});

describe('special purpose', () => {
  /** First and last address of each range, and their neighbours if those are public. */
  const ranges: readonly (readonly [name: string, inside: readonly string[], outside: readonly string[]])[] = [
    ['this network', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
    ['private 10/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
    ['shared by carriers', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
    ['loopback', ['127.0.0.0', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
    ["a cloud's platform", ['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
    ['link-local', ['169.254.0.0', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
    ['private 172.16/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
    ['IETF protocols', ['192.0.0.0', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
    ['documentation 1', ['192.0.2.0', '192.0.2.255'], ['192.0.3.0']],
    ['AS112', ['192.31.196.0', '192.31.196.255'], ['192.31.195.255', '192.31.197.0']],
    ['AMT', ['192.52.193.0', '192.52.193.255'], ['192.52.192.255', '192.52.194.0']],
    ['6to4 relays', ['192.88.99.0', '192.88.99.255'], ['192.88.98.255', '192.88.100.0']],
    ['private 192.168/16', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
    ['AS112, direct', ['192.175.48.0', '192.175.48.255'], ['192.175.47.255', '192.175.49.0']],
    ['benchmarks', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
    ['documentation 2', ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
    ['documentation 3', ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
    ['multicast, reserved, broadcast', ['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'], ['223.255.255.255']],
    ['below global unicast', ['::', '::1', '::7f00:1', '::ffff:7f00:1', '::ffff:808:808', '64:ff9b::808:808', '1fff:ffff::'], ['2000::']],
    ['above global unicast', ['4000::', '5f00::', 'fc00::', 'fdff::', 'fe80::', 'febf::', 'fec0::', 'ff00::', 'ffff::'], ['3ffd:ffff::']],
    ['IPv6 protocols', ['2001::', '2001:1::1', '2001:10::', '2001:20::', '2001:1ff:ffff::'], ['2000:ffff::', '2001:200::']],
    ['IPv6 documentation', ['2001:db8::', '2001:db8:ffff::'], ['2001:db7:ffff::', '2001:db9::']],
    ['6to4', ['2002::', '2002:ffff::'], ['2001:ffff::', '2003::']],
    ['IPv6 AS112', ['2620:4f:8000::', '2620:4f:8000:ffff::'], ['2620:4f:7fff::', '2620:4f:8001::']],
    ['6bone and new documentation', ['3ffe::', '3ffe:ffff::', '3fff::', '3fff:fff::'], ['3ffd::', '3fff:1000::']],
  ];

  test.each(ranges)('%s is not public, but its neighbours are', (_name, inside, outside) => {
    expect(inside.filter(isPublicAddress)).toEqual([]);
    expect(outside.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  test.each(['', 'example.com', '8.8.8', '08.8.8.8', '8.8.8.8/32', '2606::1/128', 'fe80::1%lo', '[2606::1]'])(
    '%j is no address, so not public',
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );
});
