import path from 'node:path';
import { buildDashboard, buildDocsSite } from '@webkiln/dev-platform';
import { addressSetting, httpAddressSetting, httpServiceNames, rpcServiceNames } from '@webkiln/messages';
import { ampleQuotas, type BenchPlatform } from '../platform.ts';
import { type Running, spawnServer } from '../spawn.ts';

/** The services that the benchmark's requests reach. */
const reachedServices: ReadonlySet<string> = new Set(['identity', 'clients-plans', 'projects-templates', 'webhooks']);
/** An address where nothing listens. */
const unusedAddress = '127.0.0.1:1';

/**
 * Starts a second gateway on the same platform that makes plain unary calls, to compare the multiplexed stream with.
 */
export async function startUnaryGateway({ processes, secrets, baseUrl }: BenchPlatform, port: number): Promise<Running> {
  const address = (name: string) => `127.0.0.1:${processes[name]?.port}`;
  return spawnServer([path.resolve(import.meta.dirname, '../../../gateway/src/main.ts')], {
    core: '0',
    url: `http://127.0.0.1:${port}/api/v1/docs`,
    env: {
      ...ampleQuotas,
      PORT: String(port),
      ORIGIN: new URL(baseUrl).origin,
      DASHBOARD_DIR: await buildDashboard(),
      DOCS_DIR: await buildDocsSite(),
      RPC_TRANSPORT: 'unary',
      REDIS_URL: `redis://${address('redis')}`,
      NATS_URL: `nats://${address('nats')}`,
      ...Object.fromEntries(
        rpcServiceNames.map((name) => [addressSetting(name), reachedServices.has(name) ? address(name) : unusedAddress]),
      ),
      ...Object.fromEntries(httpServiceNames.map((name) => [httpAddressSetting(name), unusedAddress])),
      SITES_ORIGIN: `http://sites.localhost:${port}`,
      PREVIEW_ORIGIN: `http://preview.localhost:${port}`,
      PRINCIPAL_SIGNING_KEY: secrets.signing_keys.gateway ?? '',
    },
  });
}
