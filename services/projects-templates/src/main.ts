import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { closePeers, connectPeers } from '@webkiln/rpc';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes, storeCheck } from '@webkiln/store';
import { ProjectsTemplatesConfig } from './config.ts';
import { startReclaiming } from './files/start-reclaiming.ts';
import { ProjectModel } from './projects/project-store.ts';
import { onClientUpdated } from './reactions/on-client-updated.ts';
import { onProjectDeleted } from './reactions/on-project-deleted.ts';
import { serveProjectsTemplates } from './server.ts';
import { TemplateModel } from './templates/template-store.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(ProjectsTemplatesConfig);
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_projects_templates`);
  await ensureIndexes();
  await connectEvents(config.NATS_URL, 'projects-templates', { subjectPrefix: config.EVENTS_PREFIX });
  startRelay([ProjectModel, TemplateModel]);
  connectPeers({
    issuer: 'projects-templates',
    signingKey: config.PRINCIPAL_SIGNING_KEY,
    transport: config.RPC_TRANSPORT,
    addresses: { 'clients-plans': config.CLIENTS_PLANS_ADDRESS },
  });
  onProjectDeleted();
  onClientUpdated();
  const stopReclaiming = startReclaiming(config.BLOB_GRACE_MS);
  const server = await serveProjectsTemplates(config);

  return {
    ports: { grpc: server.port },
    // Neither NATS nor clients-plans: without them almost everything is still answered.
    checks: { store: storeCheck },
    async stop() {
      stopReclaiming();
      await server.drain();
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('projects-templates', start);
