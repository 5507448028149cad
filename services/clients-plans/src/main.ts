import { closeEvents, connectEvents, eventsOptions, startRelay } from '@webkiln/events';
import { admittedByIdentity, mailerFor } from '@webkiln/mail';
import { eventsPerMinute, startErasure, watchOrgPolicies } from '@webkiln/org-policy';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { type RunningService, runService } from '@webkiln/runtime';
import { connectStoreOf, disconnectStore, type Migration, migrateCommand, prepareStore, storeCheck } from '@webkiln/store';
import { reduceOrders } from './billing/billing-store.ts';
import type { Payments } from './billing/payments/apply-payment.ts';
import { startCharges } from './billing/payments/charges.ts';
import { startReconciliation } from './billing/payments/provider-events.ts';
import { startRenewals } from './billing/renewals.ts';
import { assignClientPlaces } from './clients/create-client.ts';
import { ClientsPlansConfig } from './config.ts';
import { invitationTokens } from './invitations/invitation-use-cases.ts';
import { onBillingNotice } from './reactions/on-billing-notice.ts';
import { onClientInvited } from './reactions/on-client-invited.ts';
import { onClientUpdated } from './reactions/on-client-updated.ts';
import { serveClientsPlans } from './server.ts';

/** What `migrate` does to stored documents, besides what their models say. */
const migrations: readonly Migration[] = [{ name: 'places of clients', run: assignClientPlaces }];

/** Null if the operator has no account at a payment company. Only one that has loads its library. */
async function providerOf({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_FEE_PERCENT, STRIPE_API_URL }: ClientsPlansConfig) {
  if (STRIPE_SECRET_KEY === undefined || STRIPE_WEBHOOK_SECRET === undefined) return null;
  const { StripeProvider } = await import('./billing/payments/stripe-provider.ts');
  const options = { secretKey: STRIPE_SECRET_KEY, webhookSecrets: STRIPE_WEBHOOK_SECRET };
  return new StripeProvider({ ...options, feePercent: STRIPE_FEE_PERCENT, apiUrl: STRIPE_API_URL });
}

async function start(config: ClientsPlansConfig, onWaiting: (reason: string) => void): Promise<RunningService> {
  const tokens = invitationTokens(config.INVITATION_SECRET);
  const mailer = mailerFor(config, admittedByIdentity('clients-plans'));
  await connectStoreOf('clients-plans', config);
  await prepareStore('clients-plans', config, { migrations, onWaiting });
  await connectEvents(config.NATS_URL, 'clients-plans', eventsOptions(config));
  connectPeersOf('clients-plans', config);
  onClientInvited({ tokens, mailer, from: config.MAIL_FROM, origin: config.ORIGIN });
  onBillingNotice({ mailer, from: config.MAIL_FROM, origin: config.ORIGIN });
  watchOrgPolicies('clients-plans', config);
  startRelay(eventsPerMinute);
  startErasure('clients-plans', reduceOrders);
  onClientUpdated();
  const payments: Payments = { origin: config.ORIGIN, provider: await providerOf(config) };
  const stopWork = [startRenewals(), startCharges(payments), startReconciliation(payments)];
  const verifier = createVerifier({ service: 'clients-plans', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveClientsPlans({ ...config, verifier }, tokens, payments);

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      for (const stop of stopWork) stop();
      await server.drain();
      await closeEvents();
      mailer.close();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('clients-plans', ClientsPlansConfig, start, migrateCommand('clients-plans', migrations));
