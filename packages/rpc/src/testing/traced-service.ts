/**
 * A traced service as a child process: `traced-service.ts <name> <private key> <public key> [address of the next
 * service]`.
 */
import { onBehalf, type ServiceName } from '@webkiln/messages';
import { runService } from '@webkiln/runtime';
import * as z from 'zod';
import { call, closePeers, connectPeers } from '../client/peers.ts';
import { serve } from '../server/serve.ts';
import { trustingVerifier, useCasesOf } from './loopback.ts';

const [name = '', signingKey = '', publicKey = '', next] = process.argv.slice(2);
const service = name as ServiceName;

await runService(name, z.object({}), async () => {
  connectPeers({ issuer: 'test', signingKey, transport: process.env.RPC_TRANSPORT as 'carried' | 'unary', addresses: { identity: next } });
  const serving = await serve({
    service,
    useCases: useCasesOf(service, {
      'projects.GetProject': async (_request, caller) => {
        const { exists } = await call('identity.HasAccount', { email: 'a@b.test' }, onBehalf('clients-plans', caller));
        return { etag: String(exists) };
      },
      'identity.HasAccount': async () => ({ exists: true }),
    }),
    verifier: trustingVerifier(service, publicKey),
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
