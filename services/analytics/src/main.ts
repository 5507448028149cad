import type { AddressInfo } from 'node:net';
import { closeEvents, connectEvents } from '@webkiln/events';
import { closePeers, connectPeers } from '@webkiln/rpc';
import { createHttpServer, drainHttp, type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes } from '@webkiln/store';
import { AnalyticsConfig } from './config.ts';
import { serveAnalytics } from './server.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(AnalyticsConfig);
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_analytics`);
  await ensureIndexes();
  await connectEvents(config.NATS_URL, 'analytics');
  connectPeers({
    issuer: 'analytics',
    signingKey: config.PRINCIPAL_SIGNING_KEY,
    transport: config.RPC_TRANSPORT,
    addresses: { 'projects-templates': config.PROJECTS_TEMPLATES_ADDRESS },
  });
  const server = createHttpServer((_request, response) => void response.writeHead(404).end());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));
  const rpc = await serveAnalytics(config);

  return {
    ports: { http: (server.address() as AddressInfo).port, grpc: rpc.port },
    async stop() {
      await Promise.all([drainHttp(server), rpc.drain(), closeEvents()]);
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('analytics', start);
