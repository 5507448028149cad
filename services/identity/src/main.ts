import { closeEvents, connectEvents, startBeat, startRelay } from '@webkiln/events';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes, storeCheck } from '@webkiln/store';
import { IdentityConfig } from './config.ts';
import { KeyModel } from './keys/key-store.ts';
import { serveIdentity } from './server.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(IdentityConfig);
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_identity`);
  await ensureIndexes();
  await connectEvents(config.NATS_URL, 'identity');
  startRelay([KeyModel]);
  const server = await serveIdentity(config);
  startBeat();

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      await server.drain();
      await closeEvents();
      await disconnectStore();
    },
  };
}

await runService('identity', start);
