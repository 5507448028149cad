import { deadLetterUseCases } from '@webkiln/events/dead-letters';
import { createVerifier, serve } from '@webkiln/rpc';
import type { AnalyticsConfig } from './config.ts';
import { reportUseCases } from './report/index.ts';

type Settings = Pick<AnalyticsConfig, 'PRINCIPAL_TRUSTED_KEYS' | 'BIND_ADDRESS' | 'GRPC_PORT'>;

/** Serves the reports over gRPC; the store must be connected. */
export const serveAnalytics = ({ PRINCIPAL_TRUSTED_KEYS, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: 'analytics',
    useCases: [...reportUseCases, ...deadLetterUseCases],
    verifier: createVerifier({ service: 'analytics', trustedKeys: PRINCIPAL_TRUSTED_KEYS }),
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
  });
