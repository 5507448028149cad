/** One real platform for all suites. Node runs its TypeScript by itself, as it does in production. */
import { nats, supplyProgram } from '@webkiln/infra';
import { localReceivers } from './local-receivers.ts';
import { share } from './shared-platform.ts';
import { startPlatform } from './test-platform.ts';

/** Nothing that the suites prove is to depend on how fast a request, or Redis, is answered. */
const patience = { REQUEST_TIMEOUT_MS: '60000', REDIS_TIMEOUT_MS: '60000' };

/** People come from networks of their own: what is counted by address is no other test's. */
const networks = { TRUSTED_PROXIES: '127.0.0.1,::1' };

export default async function setUp() {
  const shared = await startPlatform({ env: { LOG_LEVEL: 'warn', ...localReceivers, ...patience, ...networks } });
  Object.assign(process.env, shared.facts.urls, { LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' });
  process.env.NATS_SERVER_BIN ??= await supplyProgram(nats, () => undefined);
  share(shared.facts);
  globalThis.sharedTestPlatform = shared;
}
