import { closeEvents, connectEvents, eventsOptions, startRelay } from '@webkiln/events';
import { TurnStream, theBus } from '@webkiln/events/streams';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { eventsPerMinute, startErasure, startStandings } from '@webkiln/standing';
import { connectStoreOf, disconnectStore, migrateCommand, prepareStore, storeCheck } from '@webkiln/store';
import { EmbedConfig } from './config.ts';
import { engines } from './engines/engine-of.ts';
import { createModels } from './providers/models.ts';
import { onClientUpdated } from './reactions/on-client-updated.ts';
import { onEmbedClientDeleted } from './reactions/on-embed-client-deleted.ts';
import { onProjectDeleted } from './reactions/on-project-deleted.ts';
import { serveEmbed } from './server.ts';
import { TurnRunner } from './turns/run/turn-runner.ts';

async function start(onWaiting: (reason: string) => void): Promise<RunningService> {
  const config = readConfig(EmbedConfig);
  await connectStoreOf('embed', config);
  await prepareStore('embed', config, { onWaiting });
  await connectEvents(config.NATS_URL, 'embed', eventsOptions(config));
  connectPeersOf('embed', config);
  startStandings('embed', config);
  startRelay(eventsPerMinute);
  startErasure('embed');
  onClientUpdated();
  onEmbedClientDeleted();
  onProjectDeleted();
  const models = createModels(config);
  const turns = new TurnRunner(new TurnStream(theBus()), engines(models, config));
  const verifier = createVerifier({ service: 'embed', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveEmbed({ ...config, verifier, models, turns });

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      await server.drain();
      await turns.close();
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('embed', start, migrateCommand('embed'));
