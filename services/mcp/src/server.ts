import { serve, type UseCase, type Verifier } from '@webkiln/rpc';
import { FastPath, messageUseCases } from './answer.ts';
import type { McpConfig } from './config.ts';
import { Guides } from './guides.ts';
import { serverFactory } from './protocol/handlers.ts';
import { SdkHandler } from './protocol/sdk-handler.ts';
import { undoAgentSession } from './undo/undo-session.ts';

type Settings = Pick<McpConfig, 'BIND_ADDRESS' | 'GRPC_PORT' | 'ORIGIN' | 'DOCS_DIR'> & { readonly verifier: Verifier };

/** Serves the messages of agents; the peers must be connected. */
export async function serveMcp({ verifier, BIND_ADDRESS, GRPC_PORT, ORIGIN, DOCS_DIR }: Settings) {
  const guides = new Guides(DOCS_DIR, ORIGIN);
  const sdkHandler = await SdkHandler.of(serverFactory(ORIGIN, guides));
  const useCases = [
    ...messageUseCases({ origin: ORIGIN, sdkHandler, fastPath: await FastPath.of(sdkHandler, guides) }),
    undoAgentSession as UseCase,
    guides.useCase,
  ];
  return serve({ service: 'mcp', useCases, verifier, bind: BIND_ADDRESS, port: GRPC_PORT });
}
