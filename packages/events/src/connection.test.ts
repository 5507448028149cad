import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Authority, MountedCertificate } from '@webkiln/runtime/testing/certificates';
import { closeEvents, connectEvents } from './connection.ts';
import { NatsServer } from './testing/nats-server.ts';

const greeting = { server_id: 'plain', version: '2.10.0', proto: 1, headers: true, jetstream: true, max_payload: 1_048_576 };

afterEach(closeEvents);

test('with tls:// nothing is sent to a NATS server without TLS, at any attempt', async () => {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (bytes) => received.push(String(bytes))).on('error', () => undefined);
    socket.write(`INFO ${JSON.stringify(greeting)}\r\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await connectEvents(`tls://user:secret@127.0.0.1:${port}`, 'test');
  for (let attempt = 0; attempt < 3; attempt++) {
    const [socket] = (await once(server, 'connection')) as [Socket];
    await once(socket, 'close');
  }
  expect(received).toEqual([]);
  server.close();
});

describe('a process that is started with an authority in NODE_EXTRA_CA_CERTS', () => {
  let nats: NatsServer;
  let ours: MountedCertificate;
  let others: MountedCertificate;
  beforeEach(async () => {
    nats = await NatsServer.notYetStarted();
    const issuedBy = async (authority: string) => new MountedCertificate(await (await Authority.create(authority)).issue('nats'));
    [ours, others] = [await issuedBy('Ours'), await issuedBy('Others')];
  });
  afterEach(async () => {
    await nats.remove();
    for (const mounted of [ours, others]) mounted[Symbol.dispose]();
  });

  /** What becomes of the first attempt at `tls://`: 'connected', or why not. */
  async function attempt({ files }: MountedCertificate, url = nats.tlsUrl): Promise<string> {
    const env = { ...process.env, NATS_URL: url, NODE_EXTRA_CA_CERTS: files.ca, LOG_LEVEL: 'warn' };
    const child = spawn(process.execPath, [require.resolve('./testing/connecting-process.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit').then(() => 'connected');
    const refused = once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(JSON.parse(line).err.message));
    const outcome = await Promise.race([ended, refused]);
    child.kill('SIGKILL');
    await ended;
    return outcome;
  }

  test('connects over tls:// to a server with a certificate of that authority for its host, and to no other', async () => {
    await nats.start({ tls: ours.files });
    expect(await attempt(ours)).toBe('connected');
    expect(await attempt(others)).toMatch(/unable to verify/);
    expect(await attempt(ours, nats.tlsUrl.replace('127.0.0.1', 'localhost'))).toMatch(/does not match certificate/);
  });

  test('does not connect over tls:// to a server without TLS', async () => {
    await nats.start();
    expect(await attempt(ours)).toMatch(/tls/i);
  });
});
