import { nats, redis, supplyProgram } from '@webkiln/dev-platform';
import { type NatsCluster, startNatsCluster } from '@webkiln/events/testing/nats-cluster';
import { connect } from 'nats';
import { RedisCluster } from '../../gateway/src/testing/redis-server.ts';
import { enforceRateLimit, exactLimitSettings } from '../faults/runs/http/rate-limit.ts';
import { keepAcknowledgedWrites } from '../faults/runs/outages/acknowledged-writes.ts';
import type { Outcome } from '../faults/runs/outcome.ts';
import { eventually } from '../harness/agency.ts';
import { startPlatform } from '../harness/test-platform.ts';
import { type Guarantee, unlimited } from './guarantee.ts';

const replicas = 3;

/** Three servers of NATS and of Redis each, as in production. */
export const clusterGuarantee: Guarantee = {
  name: 'clusters',
  guarantee:
    'on a Redis Cluster of three the limit stays exact over three gateways, and on a NATS cluster of three nothing is lost while each server is killed -9 in turn',
  async run(scaled) {
    process.env.NATS_SERVER_BIN ??= await supplyProgram(nats, () => undefined);
    process.env.REDIS_SERVER_BIN ??= await supplyProgram(redis, () => undefined);
    const servers = await startNatsCluster(replicas);
    try {
      await using redisCluster = await RedisCluster.start();
      const urls = { NATS_URL: servers.url, REDIS_URL: redisCluster.url, REDIS_CLUSTER: 'true', EVENTS_REPLICAS: `${replicas}` };
      const limit = await onPlatform(urls, exactLimitSettings, (platform) =>
        enforceRateLimit(platform, { windows: scaled(2), windowMs: 60_000 }),
      );
      const writes = await onPlatform(urls, unlimited, (platform) =>
        keepAcknowledgedWrites(platform, (_, name) => restartServer(servers, name), { rounds: scaled(2), parts: servers.names }),
      );
      return {
        seed: writes.seed,
        tries: limit.tries + writes.tries,
        figure: `${limit.figure}; ${writes.figure}`,
        failures: [...limit.failures, ...writes.failures],
      };
    } finally {
      await servers.remove();
    }
  },
};

async function onPlatform(
  urls: NodeJS.ProcessEnv,
  settings: NodeJS.ProcessEnv,
  run: (platform: Awaited<ReturnType<typeof startPlatform>>) => Promise<Outcome>,
): Promise<Outcome> {
  await using platform = await startPlatform({ gateways: 3, env: { ...urls, ...settings } });
  return await run(platform);
}

/** kill -9 and a new start. The next server is killed once this one has what the others wrote meanwhile. */
async function restartServer(servers: NatsCluster, name: string): Promise<number> {
  const names = await onEveryServer(servers.url);
  const since = performance.now();
  await servers.kill(name);
  await servers.start([name]);
  await eventually(async () => {
    const copied = await onEveryServer(servers.url);
    if (names.some((stream) => !copied.includes(stream))) throw new Error(`${name} has not caught up with every stream yet`);
  });
  return since;
}

/** The streams of which each server of theirs has all messages. */
async function onEveryServer(url: string): Promise<string[]> {
  const connection = await connect({ servers: url });
  try {
    const { streams } = await connection.jetstreamManager();
    const found: string[] = [];
    for await (const { config, cluster } of streams.list()) {
      const followers = (cluster?.replicas ?? []).filter(({ current, offline, lag }) => current && offline !== true && !lag);
      if (followers.length >= config.num_replicas - 1) found.push(config.name);
    }
    return found;
  } finally {
    await connection.close();
  }
}
