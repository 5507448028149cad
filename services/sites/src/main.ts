import type { AddressInfo } from 'node:net';
import { closeEvents, connectEvents, eventsOptions, listen, onFeedRestored, startRelay } from '@webkiln/events';
import { createHttpServer, drainHttp } from '@webkiln/http';
import { admittedByIdentity, mailerFor } from '@webkiln/mail';
import { eventsPerMinute, hearOrgPolicies, startErasure } from '@webkiln/org-policy';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { processTls, type RunningService, runPeriodically, runService } from '@webkiln/runtime';
import { disconnectStore, migrateCommand } from '@webkiln/store';
import { openStoreInBackground } from './background-store.ts';
import { SitesConfig } from './config.ts';
import { sweepDeletedProjects } from './deleted-projects/deleted-project-store.ts';
import { FormMails } from './forms/recipients/form-mails.ts';
import { Screenshotter } from './preview-images/screenshotter.ts';
import { onFormRecipient } from './reactions/on-form-recipient.ts';
import { onFormSubmitted } from './reactions/on-form-submitted.ts';
import { onProjectDeleted } from './reactions/on-project-deleted.ts';
import { onProjectMoved } from './reactions/on-project-moved.ts';
import { onReportDue } from './reactions/on-report-due.ts';
import { onSiteChanged } from './reactions/on-site-changed.ts';
import { serveSites } from './server.ts';
import { openSites } from './serving/open-sites.ts';
import { tlsAsk } from './tls/tls-ask.ts';

const sweepIntervalMs = 60_000;

async function start(config: SitesConfig): Promise<RunningService> {
  const mailer = mailerFor(config, admittedByIdentity('sites'));
  const mails = { mailer, from: config.MAIL_FROM, origin: config.ORIGIN };
  const formMails = new FormMails(mails);
  await connectEvents(config.NATS_URL, 'sites', eventsOptions(config));
  connectPeersOf('sites', config);

  const { handle, live, contents } = openSites(config);
  listen('internal.site.changed', ({ data }) => live.resolutions.invalidate(data.name));
  hearOrgPolicies();
  onFeedRestored(() => live.resolutions.invalidateAll());

  const server = createHttpServer(handle, processTls());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));
  const verifier = createVerifier({ service: 'sites', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const { CHROMIUM_PATH: chromium, SCREENSHOT_SANDBOX: sandbox } = config;
  const screenshotter = chromium === undefined ? undefined : new Screenshotter(chromium, { sandbox });
  const rpc = await serveSites({ ...config, verifier, browser: screenshotter });
  const sites = new URL(config.SITES_ORIGIN);
  let stopSweeping = () => {};
  const stopOpeningStore = openStoreInBackground(config, () => {
    startRelay(eventsPerMinute);
    stopSweeping = runPeriodically({ everyMs: sweepIntervalMs, name: 'sweep of deleted projects' }, () => sweepDeletedProjects());
    onFormSubmitted(formMails);
    onFormRecipient(formMails);
    onReportDue(mails);
    onProjectDeleted();
    onProjectMoved();
    startErasure('sites');
    onSiteChanged(screenshotter && { screenshotter, contents, siteOrigin: (name) => `${sites.protocol}//${name}.${sites.host}` });
  });

  return {
    ports: { http: (server.address() as AddressInfo).port, grpc: rpc.port },
    routes: { '/tls/ask': tlsAsk(live) },
    async stop() {
      stopOpeningStore();
      stopSweeping();
      screenshotter?.stop();
      await Promise.all([drainHttp(server), rpc.drain(), closeEvents()]);
      mailer.close();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('sites', SitesConfig, start, migrateCommand('sites'));
