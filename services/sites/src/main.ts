import type { AddressInfo } from 'node:net';
import { closeEvents, connectEvents, eventsOptions, feedIsLive, listen, onFeedRestored, startRelay } from '@webkiln/events';
import { createHttpServer, drainHttp } from '@webkiln/http';
import { admittedByIdentity, mailerFor } from '@webkiln/mail';
import { closePeers, connectPeersOf, createVerifier, peerState } from '@webkiln/rpc';
import { gauge, logger, processTls, type RunningService, readConfig, retry, runPeriodically, runService } from '@webkiln/runtime';
import { copyStandings, eventsPerMinute, hearStandings, startErasure } from '@webkiln/standing';
import { connectStoreOf, disconnectStore, migrateCommand, prepareStore } from '@webkiln/store';
import { SitesConfig } from './config.ts';
import { Contents } from './contents/contents.ts';
import { sweepDeletedProjects } from './deleted-projects/drop-project.ts';
import { acceptSubmission, createPseudonymizer, type SentForm } from './forms/intake/accept-submission.ts';
import { paced } from './forms/intake/paced-forms.ts';
import { FormMails } from './forms/recipients/form-mails.ts';
import { Screenshotter } from './preview-images/screenshotter.ts';
import { onFormRecipient } from './reactions/on-form-recipient.ts';
import { onFormSubmitted } from './reactions/on-form-submitted.ts';
import { onProjectDeleted } from './reactions/on-project-deleted.ts';
import { onSiteChanged } from './reactions/on-site-changed.ts';
import { ResolutionCache } from './resolutions/resolution-cache.ts';
import { resolvePreview, resolveSite } from './resolutions/resolve.ts';
import { serveSites } from './server.ts';
import { dispatch } from './serving/dispatch.ts';
import { previews, publishedSites } from './serving/domain.ts';
import { FormPosts } from './serving/forms/form-posts.ts';
import { LargeFiles } from './serving/large-files.ts';
import { FramedPages } from './serving/preview/framed-pages.ts';
import { servePreviewImage } from './serving/preview-image-visits.ts';
import { Visits } from './serving/visits.ts';
import { tlsAsk } from './tls/tls-ask.ts';

const bytesPerMb = 1024 * 1024;
const sweepIntervalMs = 60_000;
const storeRetryDelayMs = 2000;

const storeReady = gauge({
  name: 'site_store_ready',
  help: '1 once the store of forms and preview images is connected and has its indexes',
});

async function start(): Promise<RunningService> {
  const config = readConfig(SitesConfig);
  const mailer = mailerFor(config, admittedByIdentity('sites'));
  const formMails = new FormMails({ mailer, from: config.MAIL_FROM, origin: config.ORIGIN });
  await connectEvents(config.NATS_URL, 'sites', eventsOptions(config));
  connectPeersOf('sites', config);

  const isReachable = () => peerState('projects-templates') === 'ready';
  const resolutions = new ResolutionCache({ resolve: resolveSite, feedIsLive, isReachable });
  listen('internal.site.changed', ({ data }) => resolutions.invalidate(data.name));
  hearStandings();
  onFeedRestored(() => resolutions.invalidateAll());

  const sites = new URL(config.SITES_ORIGIN);
  const previewDomain = new URL(config.PREVIEW_ORIGIN).hostname;
  const live = publishedSites(sites.hostname, [previewDomain, new URL(config.ORIGIN).hostname], resolutions);
  // Drafts have no change feed, so their entries expire after 0.8 s.
  const resolutionsOfDrafts = new ResolutionCache({ resolve: resolvePreview, feedIsLive: () => false, isReachable });
  const drafts = previews(previewDomain, resolutionsOfDrafts, new FramedPages(new URL(config.ORIGIN).origin));
  const contents = new Contents(config.SITES_CACHE_MB * bytesPerMb);
  const largeFiles = new LargeFiles({
    contents,
    maxUnsentBytes: config.SITES_UNSENT_MB * bytesPerMb,
    maxUnsentBytesPerNetwork: config.SITES_UNSENT_MB_PER_NETWORK * bytesPerMb,
  });
  const visits = new Visits({ domains: [live, drafts], contents, largeFiles });
  const accepting = { pseudonymize: createPseudonymizer(config.PRINCIPAL_SIGNING_KEY), maxPerSiteHour: config.FORMS_PER_SITE_HOUR };
  const forms = new FormPosts({ ...live, accept: paced((sent: SentForm) => acceptSubmission(accepting, sent)) });
  const handlers = { visits: visits.handle, forms: forms.handle, images: servePreviewImage };
  const server = createHttpServer(dispatch(live, previewDomain, handlers), processTls());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));
  const verifier = createVerifier({ service: 'sites', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const rpc = await serveSites({ ...config, verifier });
  const { CHROMIUM_PATH: chromium, SCREENSHOT_SANDBOX: sandbox } = config;
  const screenshotter = chromium === undefined ? undefined : new Screenshotter(chromium, { sandbox });
  let stopSweeping = () => {};
  // In the background, because sites are served without a database.
  const stopping = new AbortController();
  void withStore(config, stopping.signal, () => {
    stopSweeping = runPeriodically(
      { everyMs: sweepIntervalMs, failure: 'sweep of deleted projects failed; retrying at the next interval' },
      () => sweepDeletedProjects(),
    );
    onFormSubmitted(formMails);
    onFormRecipient(formMails);
    onProjectDeleted();
    startErasure('sites');
    onSiteChanged(screenshotter && { screenshotter, contents, siteOrigin: (name) => `${sites.protocol}//${name}.${sites.host}` });
  }).catch((error: unknown) => {
    // A process that stops has given up on its store.
    if (!stopping.signal.aborted) throw error;
  });

  return {
    ports: { http: (server.address() as AddressInfo).port, grpc: rpc.port },
    routes: { '/tls/ask': tlsAsk(live) },
    async stop() {
      stopping.abort();
      stopSweeping();
      screenshotter?.stop();
      await Promise.all([drainHttp(server), rpc.drain(), closeEvents()]);
      mailer.close();
      await closePeers();
      await disconnectStore();
    },
  };
}

/**
 * Until MongoDB is reachable, requests for forms and preview images get a 503. If it cannot be used, such as for an
 * index that cannot be made, this goes on trying: sites are served meanwhile.
 */
async function withStore(config: SitesConfig, signal: AbortSignal, startReactions: () => void): Promise<void> {
  const onFailure = (err: unknown) =>
    logger.error({ err }, 'the store cannot be used; sites are served, forms and images wait; trying again');
  const keepTrying = (work: () => Promise<void>) => retry(work, { signal, delayMs: storeRetryDelayMs, onFailure });
  await keepTrying(() => connectStoreOf('sites', config));
  signal.throwIfAborted();
  copyStandings('sites', config);
  await keepTrying(() => prepareStore('sites', config, { signal }));
  signal.throwIfAborted();
  storeReady.set(1);
  startRelay(eventsPerMinute);
  startReactions();
}

await runService('sites', start, migrateCommand('sites'));
