import { closeEvents, connectEvents, eventsOptions, startRelay } from '@webkiln/events';
import { admittedByIdentity, mailerFor } from '@webkiln/mail';
import { eventsPerMinute, limitOf, startErasure, watchOrgPolicies } from '@webkiln/org-policy';
import { Outbound, outboundRules } from '@webkiln/outbound';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { gauge, logger, type RunningService, runPeriodically, runService } from '@webkiln/runtime';
import { connectStoreOf, disconnectStore, migrateCommand, prepareStore, storeCheck } from '@webkiln/store';
import { WebhooksConfig } from './config.ts';
import { nextDue, pendingCount } from './deliveries/delivery-store.ts';
import { sweepHeldBack } from './deliveries/requeue-store.ts';
import { dispatchSettings } from './dispatch/dispatch-config.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { actingMember } from './endpoints/endpoint-parts.ts';
import { resealSecrets, SigningSecrets } from './endpoints/signing-secrets.ts';
import { onWebhookDisabled } from './reactions/on-webhook-disabled.ts';
import { onWebhookDeleted, onWebhookStopped } from './reactions/on-webhook-ended.ts';
import { serveWebhooks } from './server.ts';

/** A resumed organization's deliveries are released at once; this finds what was held back just then. */
const sweepIntervalMs = 60_000;

async function start(config: WebhooksConfig, onWaiting: (reason: string) => void): Promise<RunningService> {
  const outbound = new Outbound(outboundRules(config));
  const secrets = new SigningSecrets(config.WEBHOOK_SECRET_KEYS);
  const mailer = mailerFor(config, admittedByIdentity('webhooks'));
  await connectStoreOf('webhooks', config);
  await prepareStore('webhooks', config, { onWaiting });
  await connectEvents(config.NATS_URL, 'webhooks', eventsOptions(config));
  connectPeersOf('webhooks', config);
  startErasure('webhooks');
  onWebhookStopped();
  onWebhookDisabled({ mailer, from: config.MAIL_FROM });
  onWebhookDeleted();
  if (config.WEBHOOK_SECRET_KEYS.hasOlder) {
    void resealSecrets(secrets).catch((error) =>
      logger.warn({ err: error }, 'resealing signing secrets failed; the next start tries again'),
    );
  }
  const dispatch = dispatchSettings(config);
  const sweep = () => sweepHeldBack({ perSecond: config.WEBHOOK_REPLAYS_PER_SECOND, retentionMs: dispatch.retentionMs });
  watchOrgPolicies('webhooks', config, sweep);
  startRelay(eventsPerMinute);
  const stopSweeping = runPeriodically({ everyMs: sweepIntervalMs, name: 'releasing deliveries of resumed organizations' }, sweep);
  const dispatcher = new Dispatcher(dispatch, outbound, secrets);
  dispatcher.start();
  registerBacklogMetrics();
  const verifier = createVerifier({ service: 'webhooks', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveWebhooks(
    { ...config, verifier },
    {
      outbound,
      secrets,
      actingMember,
      maxEndpoints: (org_id) => limitOf(org_id, 'webhooks'),
      replaysPerSecond: config.WEBHOOK_REPLAYS_PER_SECOND,
      ...dispatch,
      pollBy: dispatcher.pollBy,
    },
  );

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      stopSweeping();
      // A call in progress may use up the drain time, in which the claims in flight must be released, whatever fails.
      const released = dispatcher.stop();
      await Promise.all([server.drain(), closeEvents()]).finally(() => released);
      await outbound.close(0);
      mailer.close();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('webhooks', WebhooksConfig, start, migrateCommand('webhooks'));

/** Counting scans an index; above this number the exact figure does not matter. */
const maxCount = 100_000;

/**
 * Registers gauges of the store's backlog, read on each scrape. While the store is unavailable they keep their last
 * values.
 */
function registerBacklogMetrics(): void {
  const pending = gauge({
    name: 'webkiln_webhook_deliveries_pending',
    help: `Deliveries that wait for an attempt, of all organizations; at most ${maxCount}`,
    collect: async () => {
      const count = await pendingCount(maxCount).catch(() => undefined);
      if (count !== undefined) pending.set(count);
    },
  });
  const overdue = gauge({
    name: 'webkiln_webhook_overdue_seconds',
    help: 'For how long the oldest due delivery has been due',
    collect: async () => {
      const due = await nextDue().catch(() => undefined);
      if (due !== undefined) overdue.set(due === null ? 0 : Math.max(0, (Date.now() - due.getTime()) / 1_000));
    },
  });
}
