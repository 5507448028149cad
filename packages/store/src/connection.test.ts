import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import { Authority } from '@webkiln/runtime/testing/certificates';
import { PlainServer, tlsHandshake } from '@webkiln/runtime/testing/plain-server';
import { startServer, writeCertificate } from '@webkiln/runtime/testing/server-process';
import { connected, connectionOf } from '@webkiln/runtime/testing/tls-client';
import { connectStore, disconnectStore, storeCheck } from './connection.ts';
import { prepareStore } from './migration/open-store.ts';
import { defineModel } from './model/define-model.ts';
import { scoped } from './scoped.ts';
import { mongodbUrlBy, until } from './testing/index.ts';

describe('connection', () => {
  const Plans = defineModel<{ name: string }>('plans', { name: String });

  /** The network path to MongoDB, which can be cut, stopped so that nothing passes, and restored. */
  async function wayToMongodb() {
    const { hostname, port } = new URL(process.env.MONGODB_URL ?? '');
    const sockets = new Set<Socket>();
    let state: 'open' | 'cut' | 'stopped' | 'breaking' | 'slow' = 'open';
    const hold = (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    };
    const dropAll = () => {
      for (const socket of sockets) socket.destroy();
    };
    const server = createServer((near) => {
      if (state === 'cut') return void near.destroy();
      hold(near);
      if (state === 'stopped' || (state === 'slow' && sockets.size > 1)) return;
      const far = connect(Number(port), hostname);
      hold(far);
      near.pipe(far).pipe(near);
      near.on('data', ({ length }) => state === 'breaking' && length >= 16_384 && near.resetAndDestroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return {
      url: mongodbUrlBy((server.address() as AddressInfo).port),
      cut() {
        state = 'cut';
        dropAll();
      },
      stop() {
        state = 'stopped';
        for (const socket of sockets) socket.unpipe().pause();
      },
      /** The driver sees that MongoDB is there, but no connection for operations is answered. */
      slow() {
        state = 'slow';
        dropAll();
      },
      /** A connection breaks as soon as the first bytes of a large command have passed. */
      breakLarge() {
        state = 'breaking';
      },
      mend() {
        state = 'open';
        dropAll();
      },
      close() {
        dropAll();
        server.close();
      },
    };
  }

  let way: Awaited<ReturnType<typeof wayToMongodb>>;
  const plans = scoped(Plans, { org_id: 'org' });

  beforeAll(async () => {
    way = await wayToMongodb();
  });
  afterAll(async () => {
    await disconnectStore();
    way.close();
  });

  const isBack = async () => (await Promise.allSettled([storeCheck()]))[0].status === 'fulfilled';

  test('a service that starts before MongoDB waits for it', async () => {
    way.cut();
    let connected = false;
    const connecting = connectStore(way.url, 'test_connection').then(() => {
      connected = true;
    });
    await expect(storeCheck()).rejects.toMatchObject({ code: 'unavailable' });
    expect(connected).toBe(false);
    way.mend();
    await connecting;
    await storeCheck();
  });

  test('a service that starts while MongoDB is too slow for it waits, and then migrates', async () => {
    way.slow();
    await disconnectStore();
    const warn = jest.spyOn(logger, 'warn').mockReturnValue();
    const prepared = connectStore(way.url, 'test_connection').then(() => prepareStore('webhooks', { MIGRATE_AT_START: true }));
    await until(() => warn.mock.calls.length > 0);
    way.mend();
    await prepared;
    warn.mockRestore();
    expect(await isBack()).toBe(true);
  });

  test.each(['cut', 'stop'] as const)(
    'without a connection to MongoDB (%s) every call fails as a 503 long before its deadline, and works again when it is back',
    async (failure) => {
      await plans.count({});
      way[failure]();
      const calls = Promise.allSettled([
        plans.count({}),
        plans.findOne({ _id: 'a' }),
        plans.updateOne({ _id: 'a' }, { $set: { name: 'A' } }),
        plans.updateEach([[{ _id: 'a' }, { $set: { name: 'A' } }]]),
        storeCheck(),
      ]);
      // The driver's own timeouts are 30 s or none. Both clocks run in this process, so a slow machine delays both.
      const ended = await Promise.race([calls, pause(25_000, [], { ref: false })]);
      expect(ended.map((call) => call.status === 'rejected' && call.reason.status)).toEqual([503, 503, 503, 503, 503]);
      way.mend();
      await until(isBack);
    },
  );

  test('a command that is too large to be sent at once, and whose connection breaks meanwhile, fails as a 503', async () => {
    way.breakLarge();
    await expect(plans.updateOne({ _id: 'a' }, { $set: { name: 'A'.repeat(8_000_000) } })).rejects.toMatchObject({ status: 503 });
    way.mend();
  });

  test('calls that are running while the store is closed, and later ones, are answered or fail as a 503', async () => {
    await until(isBack);
    const call = () => [plans.count({}), plans.updateEach([[{ _id: 'a' }, { $set: { name: 'A' } }]])];
    const running = Array.from({ length: 50 }, call).flat();
    const closing = disconnectStore();
    const calls = await Promise.allSettled([...running, ...call(), closing.then(() => Promise.all(call()))]);
    expect(calls.filter((each) => each.status === 'rejected' && each.reason.status !== 503)).toEqual([]);
    expect(calls.at(-1)).toMatchObject({ status: 'rejected' });
  });
});

describe('tls', () => {
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
});
