import { closeEvents, connectEvents, eventsOptions, startRelay } from '@webkiln/events';
import { TurnStream, theBus } from '@webkiln/events/streams';
import { eventsPerMinute, startErasure, watchOrgPolicies } from '@webkiln/org-policy';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { type RunningService, runService } from '@webkiln/runtime';
import { connectStoreOf, disconnectStore, migrateCommand, prepareStore, storeCheck } from '@webkiln/store';
import { EmbedConfig, signUpCredits } from './config.ts';
import { composerEngine } from './engines/composer/composer-engine.ts';
import type { Engine, EngineOf } from './engines/engine.ts';
import { SiteChecks } from './engines/model/site-checks.ts';
import { createModels, type Models } from './providers/models.ts';
import { onClientUpdated } from './reactions/on-client-updated.ts';
import { onEmbedClientDeleted } from './reactions/on-embed-client-deleted.ts';
import { onProjectDeleted } from './reactions/on-project-deleted.ts';
import { serveEmbed } from './server.ts';
import { TurnRunner } from './turns/turn-runner.ts';

async function start(config: EmbedConfig, onWaiting: (reason: string) => void): Promise<RunningService> {
  await connectStoreOf('embed', config);
  await prepareStore('embed', config, { onWaiting });
  await connectEvents(config.NATS_URL, 'embed', eventsOptions(config));
  connectPeersOf('embed', config);
  watchOrgPolicies('embed', config);
  startRelay(eventsPerMinute);
  startErasure('embed');
  onClientUpdated();
  onEmbedClientDeleted();
  const models = createModels(config);
  const checks = new SiteChecks();
  const turns = new TurnRunner(new TurnStream(theBus()), engineOf(models, checks, config));
  onProjectDeleted(turns);
  const verifier = createVerifier({ service: 'embed', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveEmbed({ ...config, credits: signUpCredits(config), verifier, models, turns });

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      await server.drain();
      await turns.close();
      await checks.close();
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

/** The first turn of a model loads the AI SDK. */
function engineOf(models: Models, checks: SiteChecks, config: EmbedConfig): EngineOf {
  const [stallMs, turnMs] = [config.MODEL_STALL_SECONDS * 1_000, config.MODEL_TURN_SECONDS * 1_000];
  const modelEngine: Engine = {
    async run(context) {
      const { createModelEngine } = await import('./engines/model/model-engine.ts');
      return createModelEngine({ models, checks, stallMs, turnMs }).run(context);
    },
  };
  return (model) => (model === undefined ? composerEngine : modelEngine);
}

await runService('embed', EmbedConfig, start, migrateCommand('embed'));
