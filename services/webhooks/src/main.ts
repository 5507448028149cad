import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { Outbound, outboundRules } from '@webkiln/outbound';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes, storeCheck } from '@webkiln/store';
import { WebhooksConfig } from './config.ts';
import { EndpointModel } from './endpoints/endpoint-store.ts';
import { SigningSecrets } from './endpoints/signing-secrets.ts';
import { onWebhookDeleted } from './reactions/on-webhook-deleted.ts';
import { onWebhookStopped } from './reactions/on-webhook-stopped.ts';
import { serveWebhooks } from './server.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(WebhooksConfig);
  const outbound = new Outbound(outboundRules(config));
  const secrets = new SigningSecrets(config.WEBHOOK_SECRET_KEYS);
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_webhooks`);
  await ensureIndexes();
  await connectEvents(config.NATS_URL, 'webhooks');
  startRelay([EndpointModel]);
  onWebhookStopped();
  onWebhookDeleted();
  const server = await serveWebhooks(config, { outbound, secrets, endpointsMost: config.WEBHOOK_ENDPOINTS_MAX });

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      await server.drain();
      await closeEvents();
      await outbound.close();
      await disconnectStore();
    },
  };
}

await runService('webhooks', start);
