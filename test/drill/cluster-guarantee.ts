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
    'on a Redis Cluster of three the limit stays exact over three gateways, and on a NATS cluster of three nothing is lost while each server loses its disk in turn',
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
        keepAcknowledgedWrites(platform, (_, name) => replaceServer(servers, name), { rounds: scaled(2), parts: servers.names }),
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

/** kill -9 with the loss of the disk; an empty server takes its place, and copies what the others have. */
async function replaceServer(servers: NatsCluster, name: string): Promise<number> {
  const since = performance.now();
  await servers.destroy(name);
  await servers.start([name]);
  await eventually(() => inSync(servers.url));
  return since;
}

async function inSync(url: string): Promise<void> {
  const connection = await connect({ servers: url });
  try {
    const { streams } = await connection.jetstreamManager();
    for await (const { config, cluster } of streams.list()) {
      const followers = (cluster?.replicas ?? []).filter(({ current, offline }) => current && offline !== true);
      if (followers.length < config.num_replicas - 1) throw new Error(`${config.name} is not on ${config.num_replicas} servers yet`);
    }
  } finally {
    await connection.close();
  }
}
