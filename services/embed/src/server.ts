import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import { buildLinkQuota } from './build-links/build-link-store.ts';
import { buildLinkUseCases } from './build-links/index.ts';
import type { EmbedConfig } from './config.ts';
import { creditUseCases } from './credits/index.ts';
import { modelUseCases } from './models/index.ts';
import type { Models } from './providers/models.ts';
import { embedSessionQuota } from './sessions/embed-session-store.ts';
import { sessionUseCases } from './sessions/index.ts';
import { turnUseCases } from './turns/index.ts';
import type { TurnRunner } from './turns/turn-runner.ts';

type Settings = Pick<EmbedConfig, 'BIND_ADDRESS' | 'GRPC_PORT' | 'ORIGIN'> & {
  /** With which organizations begin. */
  readonly credits: number;
  readonly verifier: Verifier;
  readonly models: Models;
  readonly turns: TurnRunner;
};

/** Serves the RPCs of the builder. Store, event stream and peers must be connected. */
export const serveEmbed = ({ verifier, BIND_ADDRESS, GRPC_PORT, ORIGIN, credits, models, turns }: Settings) =>
  serve({
    service: 'embed',
    useCases: [
      ...sessionUseCases(ORIGIN),
      ...turnUseCases(turns, models, credits),
      ...creditUseCases(credits),
      ...modelUseCases(models),
      ...buildLinkUseCases(ORIGIN),
      ...maintenanceUseCases(embedSessionQuota, buildLinkQuota),
    ],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
