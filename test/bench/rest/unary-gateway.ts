import path from 'node:path';
import { buildDashboard } from '@webkiln/infra';
import type { BenchPlatform } from '../platform.ts';
import { type Running, spawnServer } from '../spawn.ts';

/** Nobody listens there: this gateway is asked nothing of it. */
const elsewhere = '127.0.0.1:1';

/** A second gateway in front of the same platform that makes plain unary calls: what the carrier is measured against. */
export async function startUnaryGateway({ processes, secrets, baseUrl }: BenchPlatform, port: number): Promise<Running> {
  const address = (name: string) => `127.0.0.1:${processes[name]?.port}`;
  return spawnServer([path.resolve(import.meta.dirname, '../../../gateway/src/main.ts')], {
    core: '0',
    url: `http://127.0.0.1:${port}/api/v1/docs`,
    env: {
      PORT: String(port),
      ORIGIN: new URL(baseUrl).origin,
      DASHBOARD_DIR: await buildDashboard(),
      RPC_TRANSPORT: 'unary',
      REDIS_URL: `redis://${address('redis')}`,
      NATS_URL: `nats://${address('nats')}`,
      IDENTITY_ADDRESS: address('identity'),
      CLIENTS_PLANS_ADDRESS: address('clients-plans'),
      PROJECTS_TEMPLATES_ADDRESS: address('projects-templates'),
      WEBHOOKS_ADDRESS: address('webhooks'),
      SITES_ADDRESS: elsewhere,
      ANALYTICS_ADDRESS: elsewhere,
      IDENTITY_HTTP_ADDRESS: elsewhere,
      SITES_HTTP_ADDRESS: elsewhere,
      ANALYTICS_HTTP_ADDRESS: elsewhere,
      SITES_ORIGIN: `http://sites.localhost:${port}`,
      PREVIEW_ORIGIN: `http://preview.localhost:${port}`,
      PRINCIPAL_SIGNING_KEY: secrets.signing_keys.gateway ?? '',
    },
  });
}
