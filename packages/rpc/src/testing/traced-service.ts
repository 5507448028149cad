/** A traced service as a process of its own: `traced-service.ts <name> <private key> <public key> [address of the next one]`. */
import { runService } from '@webkiln/runtime';
import type { ServiceName } from '../methods.ts';
import { call, closePeers, connectPeers } from '../peers.ts';
import { serve } from '../serve.ts';
import { createVerifier } from '../verifier.ts';
import { useCasesOf } from './loopback.ts';

const [name = '', signingKey = '', publicKey = '', next] = process.argv.slice(2);
const service = name as ServiceName;

await runService(name, async () => {
  connectPeers({ issuer: 'test', signingKey, transport: process.env.RPC_TRANSPORT as 'carried' | 'unary', addresses: { identity: next } });
  const serving = await serve({
    service,
    useCases: useCasesOf(service, {
      'projects.GetProject': async (_request, caller) => {
        const { exists } = await call('identity.HasAccount', { email: 'a@b.test' }, caller);
        return { etag: String(exists) };
      },
      'identity.HasAccount': async () => ({ exists: true }),
    }),
    verifier: createVerifier({ service, trustedKeys: { test: publicKey } }),
    bind: '127.0.0.1',
    port: 0,
  });
  return {
    ports: { grpc: serving.port },
    async stop() {
      await serving.drain();
      await closePeers();
    },
  };
});
