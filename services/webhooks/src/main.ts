import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes, storeCheck } from '@webkiln/store';
import { WebhooksConfig } from './config.ts';
import { EndpointModel } from './endpoints/endpoint-store.ts';
import { serveWebhooks } from './server.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(WebhooksConfig);
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_webhooks`);
  await ensureIndexes();
  await connectEvents(config.NATS_URL, 'webhooks');
  startRelay([EndpointModel]);
  const server = await serveWebhooks(config);

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

await runService('webhooks', start);
