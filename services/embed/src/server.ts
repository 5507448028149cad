import { serve, type Verifier } from '@webkiln/rpc';
import { maintenanceUseCases } from '@webkiln/standing';
import { idempotencyGuard } from '@webkiln/store';
import type { EmbedConfig } from './config.ts';
import { modelUseCases } from './models/index.ts';
import type { Models } from './providers/models.ts';
import { embedSessionQuota } from './sessions/embed-session-store.ts';
import { sessionUseCases } from './sessions/index.ts';

type Settings = Pick<EmbedConfig, 'BIND_ADDRESS' | 'GRPC_PORT' | 'ORIGIN'> & { readonly verifier: Verifier; readonly models: Models };

/** Serves the RPCs of the builder. Store, event stream and peers must be connected. */
export const serveEmbed = ({ verifier, BIND_ADDRESS, GRPC_PORT, ORIGIN, models }: Settings) =>
  serve({
    service: 'embed',
    useCases: [...sessionUseCases(ORIGIN), ...modelUseCases(models), ...maintenanceUseCases(embedSessionQuota)],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
