import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import { invoiceUseCases } from './billing/invoices.ts';
import { orderUseCases } from './billing/order-use-cases.ts';
import { ownBillingUseCases } from './billing/own-billing.ts';
import { paymentSettingsUseCases } from './billing/payment-settings.ts';
import type { Payments } from './billing/payments/apply-payment.ts';
import { checkoutUseCases } from './billing/payments/checkout.ts';
import { providerEventUseCases } from './billing/payments/provider-events.ts';
import { revenueUseCases } from './billing/revenue.ts';
import { subscriptionUseCases } from './billing/subscription-use-cases.ts';
import { clientQuota } from './clients/create-client.ts';
import { clientUseCases } from './clients/index.ts';
import type { ClientsPlansConfig } from './config.ts';
import { type InvitationTokens, invitationUseCases } from './invitations/invitation-use-cases.ts';
import { planUseCases } from './plans/plan-use-cases.ts';

type Settings = Pick<ClientsPlansConfig, 'BIND_ADDRESS' | 'GRPC_PORT'> & { readonly verifier: Verifier };

/** Serves the RPCs for clients, invitations, plans and billing. Store, event stream and peers must be connected. */
export const serveClientsPlans = ({ verifier, BIND_ADDRESS, GRPC_PORT }: Settings, tokens: InvitationTokens, payments: Payments) =>
  serve({
    service: 'clients-plans',
    useCases: [
      ...[...clientUseCases, ...invitationUseCases(tokens), ...planUseCases, ...maintenanceUseCases(clientQuota)],
      ...[...subscriptionUseCases, ...orderUseCases(payments), ...paymentSettingsUseCases(payments), ...revenueUseCases],
      ...[...invoiceUseCases, ...checkoutUseCases(payments), ...providerEventUseCases(payments), ...ownBillingUseCases(payments)],
    ],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
