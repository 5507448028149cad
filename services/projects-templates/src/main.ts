import { closeEvents, connectEvents, eventsOptions, startRelay } from '@webkiln/events';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { type RunningService, readConfig, runPeriodically, runService } from '@webkiln/runtime';
import { eventsPerMinute, startErasure, startStandings } from '@webkiln/standing';
import { connectStore, disconnectStore, ensureIndexes, fillMissingParts, storeCheck } from '@webkiln/store';
import { ProjectsTemplatesConfig } from './config.ts';
import { targetOf } from './domains/domain-name.ts';
import { DomainLookups } from './domains/look-up.ts';
import { startCheckingDomains } from './domains/start-checking.ts';
import { startGarbageCollection } from './files/garbage-collection.ts';
import { assignProjectPlaces } from './projects/project-places.ts';
import { ProjectModel } from './projects/project-store.ts';
import { onClientUpdated } from './reactions/on-client-updated.ts';
import { serveProjectsTemplates } from './server.ts';
import { dropSiteSlots } from './site-slots-store.ts';

/** Only projects of earlier versions need it; a run that finds none is one small query. */
const fillEveryMs = 60_000;

async function start(): Promise<RunningService> {
  const config = readConfig(ProjectsTemplatesConfig);
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_projects_templates`);
  await ensureIndexes();
  await assignProjectPlaces();
  await dropSiteSlots();
  await connectEvents(config.NATS_URL, 'projects-templates', eventsOptions(config));
  connectPeersOf('projects-templates', config);
  startStandings('projects-templates', config);
  startRelay(eventsPerMinute);
  startErasure('projects-templates');
  onClientUpdated();
  const stopGarbageCollection = startGarbageCollection(config.BLOB_GRACE_MS);
  const stopFilling = runPeriodically({ everyMs: fillEveryMs, failure: 'preparing projects for searches failed' }, () =>
    fillMissingParts(ProjectModel),
  );
  const target = targetOf(config);
  const lookups = new DomainLookups({ servers: config.OUTBOUND_DNS_SERVERS, target });
  const stopCheckingDomains = startCheckingDomains(lookups);
  const verifier = createVerifier({ service: 'projects-templates', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveProjectsTemplates({ ...config, verifier, target, lookups });

  return {
    ports: { grpc: server.port },
    // NATS and clients-plans are left out: most calls succeed without them.
    checks: { store: storeCheck },
    async stop() {
      stopGarbageCollection();
      stopFilling();
      stopCheckingDomains();
      await server.drain();
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('projects-templates', start);
