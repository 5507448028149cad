import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connectStore, disconnectStore, storeCheck } from './connection.ts';
import { defineModel } from './model/define-model.ts';
import { scoped } from './scoped.ts';
import { until } from './testing/index.ts';

const Plans = defineModel<{ name: string }>('plans', { name: String });

/** The network path to MongoDB, which can be cut, stopped so that nothing passes, and restored. */
async function wayTo(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'stopped' = 'open';
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
    if (state === 'stopped') return;
    const far = connect(Number(port), hostname);
    hold(far);
    near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`,
    cut() {
      state = 'cut';
      dropAll();
    },
    stop() {
      state = 'stopped';
      for (const socket of sockets) socket.unpipe().pause();
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

let way: Awaited<ReturnType<typeof wayTo>>;
const plans = scoped(Plans, { org_id: 'org' });

beforeAll(async () => {
  way = await wayTo(process.env.MONGODB_URL ?? '');
});
afterAll(async () => {
  await disconnectStore();
  way.close();
});

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

test.each(['cut', 'stop'] as const)(
  'without a connection to MongoDB (%s) every call fails as a 503 long before its deadline, and works again when it is back',
  async (failure) => {
    await plans.count({});
    way[failure]();
    const calls = Promise.allSettled([
      plans.count({}),
      plans.findOne({ _id: 'a' }),
      plans.updateOne({ _id: 'a' }, { $set: { name: 'A' } }),
      storeCheck(),
    ]);
    // The driver's own timeouts are 30 s or none. Both clocks run in this process, so a slow machine delays both.
    const ended = await Promise.race([calls, pause(25_000, [], { ref: false })]);
    expect(ended.map((call) => call.status === 'rejected' && call.reason.status)).toEqual([503, 503, 503, 503]);
    way.mend();
    await until(() =>
      plans.count({}).then(
        () => true,
        () => false,
      ),
    );
  },
);
