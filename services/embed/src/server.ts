import { serve, type Verifier } from '@webkiln/rpc';
import { maintenanceUseCases } from '@webkiln/standing';
import { idempotencyGuard } from '@webkiln/store';
import type { EmbedConfig } from './config.ts';
import { sessionUseCases } from './sessions/index.ts';

type Settings = Pick<EmbedConfig, 'BIND_ADDRESS' | 'GRPC_PORT'> & { readonly verifier: Verifier };

/** Serves the RPCs of the builder. Store, event stream and peers must be connected. */
export const serveEmbed = ({ verifier, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: 'embed',
    useCases: [...sessionUseCases, ...maintenanceUseCases()],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
