import { deadLetterUseCases } from '@webkiln/events/dead-letters';
import { createVerifier, serve } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import type { SitesConfig } from './config.ts';
import { formUseCases } from './forms/index.ts';

type Settings = Pick<SitesConfig, 'PRINCIPAL_TRUSTED_KEYS' | 'BIND_ADDRESS' | 'GRPC_PORT'>;

/** The gRPC server, for other services. */
export const serveSites = ({ PRINCIPAL_TRUSTED_KEYS, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: 'sites',
    useCases: [...formUseCases, ...deadLetterUseCases],
    verifier: createVerifier({ service: 'sites', trustedKeys: PRINCIPAL_TRUSTED_KEYS }),
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
