import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { Outbound, outboundRules } from '@webkiln/outbound';
import { logger, type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes, storeCheck } from '@webkiln/store';
import { WebhooksConfig } from './config.ts';
import { dispatchSettings } from './dispatch/dispatch-config.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { EndpointModel } from './endpoints/endpoint-store.ts';
import { resealSecrets } from './endpoints/reseal-secrets.ts';
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
  if (config.WEBHOOK_SECRET_KEYS.hasOlder) {
    void resealSecrets(secrets).catch((error) => logger.warn({ err: error }, 'signing secrets wait for the next start to be sealed anew'));
  }
  const dispatch = dispatchSettings(config);
  const dispatcher = new Dispatcher(dispatch, outbound, secrets);
  dispatcher.start();
  const server = await serveWebhooks(config, {
    outbound,
    secrets,
    endpointsMost: config.WEBHOOK_ENDPOINTS_MAX,
    ...dispatch,
    dueAt: dispatcher.dueAt,
  });

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      await server.drain();
      await closeEvents();
      await dispatcher.stop();
      await outbound.close(0);
      await disconnectStore();
    },
  };
}

await runService('webhooks', start);
