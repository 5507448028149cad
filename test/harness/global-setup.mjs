/** One real platform for all suites. Node runs its TypeScript by itself, as it does in production. */
import { nats, supplyProgram } from '@webkiln/infra';
import { share } from './shared-platform.ts';
import { startPlatform } from './test-platform.ts';

/** Tests' own receivers of webhooks listen on this machine: the shared platform may call them, over http too. */
const localReceivers = { OUTBOUND_ALLOW_HTTP: 'true', OUTBOUND_ALLOWED_CIDRS: '127.0.0.1/32', OUTBOUND_PORTS: '443,1024-65535' };

export default async function setUp() {
  const shared = await startPlatform({ env: { LOG_LEVEL: 'warn', ...localReceivers } });
  Object.assign(process.env, shared.facts.urls, { LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' });
  process.env.NATS_SERVER_BIN ??= await supplyProgram(nats, () => undefined);
  share(shared.facts);
  globalThis.sharedTestPlatform = shared;
}
