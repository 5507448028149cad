import { serve, type Verifier } from '@webkiln/rpc';
import { maintenanceUseCases } from '@webkiln/standing';
import { idempotencyGuard } from '@webkiln/store';
import type { EmbedConfig } from './config.ts';
import { embedSessionQuota } from './sessions/embed-session-store.ts';
import { sessionUseCases } from './sessions/index.ts';

type Settings = Pick<EmbedConfig, 'BIND_ADDRESS' | 'GRPC_PORT' | 'ORIGIN'> & { readonly verifier: Verifier };

/** Serves the RPCs of the builder. Store, event stream and peers must be connected. */
export const serveEmbed = ({ verifier, BIND_ADDRESS, GRPC_PORT, ORIGIN }: Settings) =>
  serve({
    service: 'embed',
    useCases: [...sessionUseCases(ORIGIN), ...maintenanceUseCases(embedSessionQuota)],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
