import { closeEvents, connectEvents, eventsOptions, startRelay } from '@webkiln/events';
import { eventsPerMinute, startErasure, watchOrgPolicies } from '@webkiln/org-policy';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { type RunningService, runService } from '@webkiln/runtime';
import {
  connectStoreOf,
  disconnectStore,
  fillMissingParts,
  type Migration,
  migrateCommand,
  prepareStore,
  storeCheck,
} from '@webkiln/store';
import { ProjectsTemplatesConfig } from './config.ts';
import { closeWarningThreads } from './deploys/publish-warnings.ts';
import { startCheckingDomains } from './domains/check-domain.ts';
import { targetOf } from './domains/domain-name.ts';
import { DomainLookups } from './domains/look-up.ts';
import { startGarbageCollection } from './files/garbage-collection.ts';
import { assignProjectPlaces } from './projects/project-places.ts';
import { ProjectModel } from './projects/project-store.ts';
import { onClientUpdated } from './reactions/on-client-updated.ts';
import { serveProjectsTemplates } from './server.ts';
import { dropSiteSlots } from './site-slots-store.ts';
import { closeTextThreads } from './texts/edit-text.ts';

/** What `migrate` does to stored documents, besides what their models say. */
const migrations: readonly Migration[] = [
  { name: 'places of projects', run: assignProjectPlaces },
  { name: 'site slots are gone', run: dropSiteSlots },
  { name: 'projects can be searched', run: () => fillMissingParts(ProjectModel) },
];

async function start(config: ProjectsTemplatesConfig, onWaiting: (reason: string) => void): Promise<RunningService> {
  await connectStoreOf('projects-templates', config);
  await prepareStore('projects-templates', config, { migrations, onWaiting });
  await connectEvents(config.NATS_URL, 'projects-templates', eventsOptions(config));
  connectPeersOf('projects-templates', config);
  watchOrgPolicies('projects-templates', config);
  startRelay(eventsPerMinute);
  startErasure('projects-templates');
  onClientUpdated();
  const stopGarbageCollection = startGarbageCollection(config.BLOB_GRACE_MS);
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
      stopCheckingDomains();
      await server.drain();
      await Promise.all([closeTextThreads(), closeWarningThreads()]);
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('projects-templates', ProjectsTemplatesConfig, start, migrateCommand('projects-templates', migrations));
