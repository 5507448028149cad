import { serve, type Verifier } from '@webkiln/rpc';
import type { McpConfig } from './config.ts';
import { messageUseCases } from './messages/index.ts';
import { handlersFor } from './protocol/handlers.ts';
import { SdkWay } from './protocol/sdk-way.ts';
import { ShortWay } from './protocol/short-way.ts';

type Settings = Pick<McpConfig, 'BIND_ADDRESS' | 'GRPC_PORT' | 'ORIGIN'> & { readonly verifier: Verifier };

/** Serves the messages of agents; the peers must be connected. */
export async function serveMcp({ verifier, BIND_ADDRESS, GRPC_PORT, ORIGIN }: Settings) {
  const sdkWay = await SdkWay.of(handlersFor(ORIGIN));
  const useCases = messageUseCases({ sdkWay, shortWay: await ShortWay.of(sdkWay) });
  return serve({ service: 'mcp', useCases, verifier, bind: BIND_ADDRESS, port: GRPC_PORT });
}
