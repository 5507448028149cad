import type { AddressInfo } from 'node:net';
import { createHttpServer, drainHttp } from '@webkiln/http';
import { closePeers, connectPeersOf, createVerifier, peerState } from '@webkiln/rpc';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { McpConfig } from './config.ts';
import { mcpListener } from './http/mcp-listener.ts';
import { handlersFor } from './protocol/handlers.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(McpConfig);
  connectPeersOf('mcp', config);
  const verifier = createVerifier({ service: 'mcp', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const handlers = handlersFor(config.ORIGIN);
  const server = createHttpServer(mcpListener({ verifier, handlers, timeoutMs: config.REQUEST_TIMEOUT_MS }));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));

  return {
    ports: { http: (server.address() as AddressInfo).port },
    checks: { identity: assertIdentity },
    async stop() {
      await drainHttp(server);
      await closePeers();
    },
  };
}

function assertIdentity(): void {
  if (peerState('identity') !== 'ready') throw new Error('identity is unreachable');
}

await runService('mcp', start);
