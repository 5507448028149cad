import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import type { SitesConfig } from './config.ts';
import { formUseCases } from './forms/index.ts';
import { submissionQuota } from './forms/intake/quota-store.ts';

type Settings = Pick<SitesConfig, 'BIND_ADDRESS' | 'GRPC_PORT'> & { readonly verifier: Verifier };

/** The gRPC server, for other services. */
export const serveSites = ({ verifier, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: 'sites',
    useCases: [...formUseCases, ...maintenanceUseCases(submissionQuota)],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
