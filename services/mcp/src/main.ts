import { closePeers, connectPeersOf, createVerifier, peerState } from '@webkiln/rpc';
import { type RunningService, runService } from '@webkiln/runtime';
import { McpConfig } from './config.ts';
import { serveMcp } from './server.ts';

async function start(config: McpConfig): Promise<RunningService> {
  connectPeersOf('mcp', config);
  const verifier = createVerifier({ service: 'mcp', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveMcp({ ...config, verifier });

  return {
    ports: { grpc: server.port },
    checks: { identity: assertIdentity },
    async stop() {
      await server.drain();
      await closePeers();
    },
  };
}

function assertIdentity(): void {
  if (peerState('identity') !== 'ready') throw new Error('identity is unreachable');
}

await runService('mcp', McpConfig, start);
