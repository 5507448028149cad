import type { AddressInfo } from 'node:net';
import { closeEvents, connectEvents, feedIsLive, listen, onFeedRestored, startRelay } from '@webkiln/events';
import { mailerFor } from '@webkiln/mail';
import { closePeers, connectPeers, peerState } from '@webkiln/rpc';
import { createHttpServer, drainHttp, type RunningService, readConfig, runPeriodically, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes } from '@webkiln/store';
import { SitesConfig } from './config.ts';
import { Contents } from './contents/contents.ts';
import { sweepDeletedProjects } from './deleted-projects/drop-project.ts';
import { acceptSubmission } from './forms/accept-submission.ts';
import { SubmissionModel } from './forms/submission-store.ts';
import { visitorNames } from './forms/visitor.ts';
import { Photographer } from './preview-images/photographer.ts';
import { onFormSubmitted } from './reactions/on-form-submitted.ts';
import { onProjectDeleted } from './reactions/on-project-deleted.ts';
import { onSiteChanged } from './reactions/on-site-changed.ts';
import { Resolutions } from './resolutions/resolutions.ts';
import { resolvePreview, resolveSite } from './resolutions/resolve.ts';
import { serveSites } from './server.ts';
import { dispatch } from './serving/dispatch.ts';
import { previews, publishedSites } from './serving/domain.ts';
import { FormPosts } from './serving/form-posts.ts';
import { showPreviewImage } from './serving/preview-image-visits.ts';
import { Visits } from './serving/visits.ts';
import { tlsAsk } from './tls/tls-ask.ts';

const bytesPerMb = 1024 * 1024;
const sweepEveryMs = 60_000;

async function start(): Promise<RunningService> {
  const config = readConfig(SitesConfig);
  const mailer = mailerFor(config);
  await connectEvents(config.NATS_URL, 'sites', { subjectPrefix: config.EVENTS_PREFIX });
  connectPeers({
    issuer: 'sites',
    signingKey: config.PRINCIPAL_SIGNING_KEY,
    transport: config.RPC_TRANSPORT,
    addresses: {
      'projects-templates': config.PROJECTS_TEMPLATES_ADDRESS,
      'clients-plans': config.CLIENTS_PLANS_ADDRESS,
      identity: config.IDENTITY_ADDRESS,
    },
  });

  const canAsk = () => peerState('projects-templates') === 'ready';
  const resolutions = new Resolutions({ resolve: resolveSite, feedIsLive, canAsk });
  listen('internal.site.changed', ({ data }) => resolutions.distrust(data.name));
  onFeedRestored(() => resolutions.distrustAll());

  const sites = new URL(config.SITES_ORIGIN);
  const previewDomain = new URL(config.PREVIEW_ORIGIN).hostname;
  const live = publishedSites(sites.hostname, resolutions);
  // Nobody tells of changes of drafts: what is older than 0.8 s is asked for again.
  const drafts = previews(previewDomain, new Resolutions({ resolve: resolvePreview, feedIsLive: () => false, canAsk }));
  const contents = new Contents(config.SITES_CACHE_MB * bytesPerMb);
  const visits = new Visits({ domains: [live, drafts], contents });
  const accepting = { visitorName: visitorNames(config.PRINCIPAL_SIGNING_KEY), perSiteHour: config.FORMS_PER_SITE_HOUR };
  const forms = new FormPosts({ ...live, accept: (sent) => acceptSubmission(accepting, sent) });
  const destinations = { visits: visits.handle, forms: forms.handle, images: showPreviewImage };
  const server = createHttpServer(dispatch(live, previewDomain, destinations));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));
  const rpc = await serveSites(config);
  // Beside all that: sites are shown without a database.
  const photographer = config.CHROMIUM_PATH === undefined ? undefined : new Photographer(config.CHROMIUM_PATH);
  let stopSweeping = () => {};
  void withStore(config, () => {
    stopSweeping = runPeriodically({ everyMs: sweepEveryMs, failure: 'deleted projects were not swept' }, () => sweepDeletedProjects());
    onFormSubmitted({ mailer, from: config.MAIL_FROM });
    onProjectDeleted();
    if (photographer === undefined) return;
    onSiteChanged({ photographer, contents, siteOrigin: (name) => `${sites.protocol}//${name}.${sites.host}` });
  });

  return {
    ports: { http: (server.address() as AddressInfo).port, grpc: rpc.port },
    routes: { '/tls/ask': tlsAsk(live) },
    async stop() {
      stopSweeping();
      photographer?.stop();
      await Promise.all([drainHttp(server), rpc.drain(), closeEvents()]);
      mailer.close();
      await closePeers();
      await disconnectStore();
    },
  };
}

/** Until MongoDB is there, whoever sends a form or asks for a picture is answered that it is not. */
async function withStore({ MONGODB_URL, MONGODB_PREFIX }: SitesConfig, startReactions: () => void): Promise<void> {
  await connectStore(MONGODB_URL, `${MONGODB_PREFIX}_sites`);
  await ensureIndexes();
  startRelay([SubmissionModel]);
  startReactions();
}

await runService('sites', start);
