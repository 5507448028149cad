import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { RedisServer } from '../testing/redis-server.ts';
import { RateLimiter } from './rate-limiter.ts';

const quota = 1_000_000;

test('after a failover of Redis the limit is counted by the new primary, although the old one still answers as a replica', async () => {
  await using first = await RedisServer.start();
  await using second = await RedisServer.start();
  // The address of the primary, whichever server that is: a connection stays with the server that it reached.
  let primary = first;
  const address = createServer((socket) => {
    const upstream = connect(primary.port, '127.0.0.1');
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(address, 'listening');
  const redisUrl = `redis://127.0.0.1:${(address.address() as AddressInfo).port}`;
  const limiter = new RateLimiter({ redisUrl, redisTimeoutMs: 60_000, windowMs: 600_000, replicas: () => 1 });
  await once(limiter.redis, 'ready');
  const credential = randomUUID();
  await limiter.consume(credential, quota);
  expect(await first.admin.llen(`rate:${credential}`)).toBe(1);

  primary = second;
  await first.becomeReplicaOf(second);
  while ((await second.admin.llen(`rate:${credential}`)) === 0) {
    await limiter.consume(credential, quota);
    await nextTick();
  }
  const counted = await second.admin.llen(`rate:${credential}`);
  await limiter.consume(credential, quota);
  expect(await second.admin.llen(`rate:${credential}`)).toBe(counted + 1);
  await limiter.close();
  address.close();
});
