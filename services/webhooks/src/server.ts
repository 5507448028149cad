import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import { sealedOutcomes } from '@webkiln/sealing';
import { idempotencyGuard } from '@webkiln/store';
import type { WebhooksConfig } from './config.ts';
import type { DeliveryParts } from './deliveries/delivery-parts.ts';
import { deliveryUseCases } from './deliveries/index.ts';
import type { EndpointParts } from './endpoints/endpoint-parts.ts';
import { endpointQuota } from './endpoints/endpoint-store.ts';
import { endpointUseCases } from './endpoints/index.ts';

type Settings = Pick<WebhooksConfig, 'BIND_ADDRESS' | 'GRPC_PORT'> & { readonly verifier: Verifier };

/** Serves the webhooks RPCs. The store and events must be connected. */
export const serveWebhooks = ({ verifier, BIND_ADDRESS, GRPC_PORT }: Settings, parts: EndpointParts & DeliveryParts) =>
  serve({
    service: 'webhooks',
    useCases: [...endpointUseCases(parts), ...deliveryUseCases(parts), ...maintenanceUseCases(endpointQuota)],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: sealedOutcomes(idempotencyGuard, parts.secrets),
  });
