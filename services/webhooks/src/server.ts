import { createVerifier, serve } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import type { WebhooksConfig } from './config.ts';
import { endpointUseCases } from './endpoints/index.ts';

type Settings = Pick<WebhooksConfig, 'PRINCIPAL_TRUSTED_KEYS' | 'BIND_ADDRESS' | 'GRPC_PORT'>;

/** Answers everything about webhooks; store and events must be connected. */
export const serveWebhooks = ({ PRINCIPAL_TRUSTED_KEYS, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: 'webhooks',
    useCases: endpointUseCases,
    verifier: createVerifier({ service: 'webhooks', trustedKeys: PRINCIPAL_TRUSTED_KEYS }),
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    around: idempotencyGuard,
  });
