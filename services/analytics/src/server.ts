import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import type { AnalyticsConfig } from './config.ts';
import { reportUseCases } from './report/index.ts';

type Settings = Pick<AnalyticsConfig, 'BIND_ADDRESS' | 'GRPC_PORT'> & { readonly verifier: Verifier };

/** Serves the reports over gRPC; the store must be connected. */
export const serveAnalytics = ({ verifier, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: 'analytics',
    useCases: [...reportUseCases, ...maintenanceUseCases()],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
  });
