import { closeEvents, connectEvents, eventsOptions, startRelay } from '@webkiln/events';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { eventsPerMinute, startErasure, startStandings } from '@webkiln/standing';
import { connectStore, disconnectStore, ensureIndexes, storeCheck } from '@webkiln/store';
import { EmbedConfig } from './config.ts';
import { createModels } from './providers/models.ts';
import { onClientUpdated } from './reactions/on-client-updated.ts';
import { onEmbedClientDeleted } from './reactions/on-embed-client-deleted.ts';
import { serveEmbed } from './server.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(EmbedConfig);
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_embed`);
  await ensureIndexes();
  await connectEvents(config.NATS_URL, 'embed', eventsOptions(config));
  connectPeersOf('embed', config);
  startStandings('embed', config);
  startRelay(eventsPerMinute);
  startErasure('embed');
  onClientUpdated();
  onEmbedClientDeleted();
  const verifier = createVerifier({ service: 'embed', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveEmbed({ ...config, verifier, models: createModels(config) });

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      await server.drain();
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('embed', start);
