/** One real platform for all suites. Node runs its TypeScript by itself, as it does in production. */
import { nats, supplyProgram } from '@webkiln/infra';
import { localReceivers } from './local-receivers.ts';
import { share } from './shared-platform.ts';
import { startPlatform } from './test-platform.ts';

export default async function setUp() {
  const shared = await startPlatform({ env: { LOG_LEVEL: 'warn', ...localReceivers } });
  Object.assign(process.env, shared.facts.urls, { LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' });
  process.env.NATS_SERVER_BIN ??= await supplyProgram(nats, () => undefined);
  share(shared.facts);
  globalThis.sharedTestPlatform = shared;
}
