import { type ProcessName, processes } from '@webkiln/messages';
import { keepTenantsApart } from '../faults/runs/access/tenants.ts';
import { containAbuse } from '../faults/runs/http/abuse.ts';
import { refuseBadInput } from '../faults/runs/http/bad-input.ts';
import { enforceRateLimit } from '../faults/runs/http/rate-limit.ts';
import { disturb, disturbWithoutBounds } from '../faults/runs/neighbours/disturb.ts';
import { nuisances } from '../faults/runs/neighbours/nuisances/index.ts';
import { keepAcknowledgedWrites, kill, pauseFor } from '../faults/runs/outages/acknowledged-writes.ts';
import { surviveDeadParts } from '../faults/runs/outages/dead-parts.ts';
import { smallFormsStream, surviveFullStream } from '../faults/runs/outages/full-stream.ts';
import { oneEffectAcrossKills, oneEffectAcrossResets, oneEffectOfConcurrentPosts } from '../faults/runs/outages/idempotency.ts';
import { interruptUploads } from '../faults/runs/outages/interrupted-upload.ts';
import { restartUnderLoad } from '../faults/runs/outages/rolling-restart.ts';
import { upgradeUnderLoad } from '../faults/runs/outages/upgrade.ts';
import { countEveryView, viewsOptions } from '../faults/runs/outages/views-counted.ts';
import { renewEachOnce } from '../faults/runs/records/renewals.ts';
import { seedSettings } from '../faults/runs/records/seed-fixtures.ts';
import { arrivalSettings, deliverEveryEvent } from '../faults/runs/webhooks/arrival.ts';
import { deliverBesideHangingWebhook } from '../faults/runs/webhooks/fairness.ts';
import { refuseAddressesAlone } from '../faults/runs/webhooks/forbidden-addresses.ts';
import { stopWebhooks } from '../faults/runs/webhooks/graceful-stop.ts';
import { noRetrySettings } from '../faults/runs/webhooks/no-retry-settings.ts';
import { keepPace } from '../faults/runs/webhooks/pace.ts';
import { openBrowser } from '../harness/browser.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { accessGuarantees } from './access-guarantees.ts';
import { clusterGuarantee } from './cluster-guarantee.ts';
import { type Guarantee, on, unlimited } from './guarantee.ts';
import { installationGuarantee } from './installation-guarantee.ts';
import { nextjsGuarantee } from './nextjs-guarantee.ts';

/** The guarantees about webhooks. */
const webhookGuarantees: readonly Guarantee[] = [
  {
    name: 'webhook-addresses',
    guarantee: 'webhooks reach only the public internet, in any spelling of the address',
    run: () => refuseAddressesAlone(),
  },
  {
    name: 'webhooks-arrive',
    guarantee: 'every event reaches every subscribed webhook while parts are killed and receivers fail',
    run: on({ env: arrivalSettings }, (platform, scaled) => deliverEveryEvent(platform, { msPerPart: scaled(60) * 1000 })),
  },
  {
    name: 'webhook-stop',
    guarantee: 'a webhooks process that stops hands back its deliveries in flight, and another process makes them',
    run: on({ replicas: 2, env: noRetrySettings }, (platform, scaled) => stopWebhooks(platform, { rounds: scaled(5) })),
  },
  {
    name: 'webhook-fairness',
    guarantee: 'every event reaches ten webhooks while an eleventh has not answered its first request',
    run: on({ env: noRetrySettings }, (platform, scaled) => deliverBesideHangingWebhook(platform, { clients: scaled(2000), replicas: 1 })),
  },
  {
    name: 'webhook-pace',
    guarantee: 'a webhook that hangs at most doubles the p99 delivery time of ten others',
    run: on({ env: { ...localReceivers, ...unlimited } }, (platform, scaled) => keepPace(platform, { rounds: scaled(5), msEach: 12_000 })),
  },
];

/** What one tenant or visitor does costs at most that tenant. */
const neighbourGuarantee: Guarantee = {
  name: 'neighbours',
  guarantee: `a neighbour of ${nuisances.length} nuisances, one after the other, loses nothing and waits at most twice as long`,
  run: (scaled, { nuisance: names, withoutBounds, seconds }) => {
    const chosen = names.length === 0 ? nuisances : nuisances.filter(({ name }) => names.includes(name));
    return (withoutBounds ? disturbWithoutBounds : disturb)(chosen, { msEach: scaled(seconds) * 1000 });
  },
};

/** The guarantees in the order the drill runs them. `npm test` runs the same with small counts. */
export const guarantees: readonly Guarantee[] = [
  {
    name: 'kills',
    guarantee: 'kill -9 of any part during writes loses and duplicates nothing; recovery within 10 s',
    run: on({ env: unlimited }, (platform, scaled) =>
      keepAcknowledgedWrites(platform, kill, { rounds: scaled(10), maxRecoveryMs: 10_000 }),
    ),
  },
  {
    name: 'pauses',
    guarantee: 'a part that hangs for 15 s loses and duplicates nothing',
    run: on({ env: unlimited }, (platform, scaled) =>
      keepAcknowledgedWrites(platform, pauseFor(15_000), { rounds: scaled(3), maxRecoveryMs: 10_000 }),
    ),
  },
  {
    name: 'upgrade',
    guarantee: 'an upgrade from the released commit under 50 writes per second, and a return half way, fail and lose nothing',
    run: () => upgradeUnderLoad({ writesPerSecond: 50, services: Object.keys(processes) as ProcessName[] }),
  },
  {
    name: 'repeats',
    guarantee: '50 concurrent POSTs with one Idempotency-Key over three gateways have one effect',
    run: on({ gateways: 3 }, (platform, scaled) => oneEffectOfConcurrentPosts(platform, { rounds: scaled(100) })),
  },
  {
    name: 'repeats-after-kills',
    guarantee: 'a POST whose service was killed has one effect when repeated',
    run: on({ gateways: 3 }, (platform, scaled) => oneEffectAcrossKills(platform, { rounds: scaled(10) })),
  },
  {
    name: 'repeats-after-resets',
    guarantee: 'a POST whose connection was reset has one effect when repeated',
    run: on({ gateways: 3 }, (platform, scaled) => oneEffectAcrossResets(platform, { rounds: scaled(10) })),
  },
  {
    name: 'renewals',
    guarantee:
      '10,000 subscriptions due at once are renewed within 60 s by four processes, each once, while callers wait at most twice as long',
    run: on({ env: unlimited, replicas: { 'clients-plans': 4 } }, (platform, scaled) =>
      renewEachOnce(platform, { organizations: 10, clients: scaled(1_000), kills: 0, maxMs: 60_000, maxSlowdown: 2 }),
    ),
  },
  {
    name: 'limit',
    guarantee: 'one key gets 100 requests and never more in any 60 s over three gateways',
    run: on({ gateways: 3 }, (platform, scaled) => enforceRateLimit(platform, { windows: scaled(10), windowMs: 60_000 })),
  },
  {
    name: 'tenants',
    guarantee: 'no credential reaches foreign records',
    run: on({ env: seedSettings }, (platform) => keepTenantsApart(platform)),
  },
  {
    name: 'views',
    guarantee: 'every accepted view is counted once, and visitors within 3 %, while parts are killed',
    run: on(viewsOptions, (platform, scaled) => countEveryView(platform, { views: scaled(1_000_000), kills: scaled(35) })),
  },
  ...webhookGuarantees,
  {
    name: 'bad-input',
    guarantee: 'bad input gets a 4xx error envelope, never causes a 5xx or a crash, and stores nothing',
    run: on({ env: seedSettings }, (platform, scaled) => refuseBadInput(platform, { requests: scaled(20_000) })),
  },
  {
    name: 'abuse',
    guarantee: 'abuse is refused in time, costs little memory and does not disturb other callers',
    run: on({ env: { ...unlimited, NETWORK_CONNECTIONS_MAX: '2000' } }, (platform, scaled) =>
      containAbuse(platform, { slowHeads: scaled(500), slowBodies: scaled(500), endlessBodies: scaled(20), rounds: scaled(20) }),
    ),
  },
  {
    name: 'restarts',
    guarantee: 'restarting any process under load fails no request and loses no part of a stream',
    run: (scaled) => restartUnderLoad({ rounds: scaled(3) }),
  },
  ...accessGuarantees,
  {
    name: 'dead-parts',
    guarantee: 'an outage of 60 s of one part affects only what needs it; recovery within 10 s',
    run: on({ gateways: 3 }, (platform, scaled) => surviveDeadParts(platform, { downMs: scaled(60) * 1000, maxRecoveryMs: 10_000 })),
  },
  {
    name: 'full-stream',
    guarantee: 'a full stream of forms stops nothing else; the platform makes room by itself, and what waited arrives once',
    run: on({ env: { ...unlimited, ...smallFormsStream } }, (platform, scaled) =>
      surviveFullStream(platform, { clients: scaled(200), forms: scaled(200), waits: true }),
    ),
  },
  {
    name: 'uploads',
    guarantee: 'a folder of 2,000 files and 25 MB, dropped on a page and interrupted in the middle, is stored whole or not at all',
    run: on({}, async (platform, scaled) => {
      await using browser = await openBrowser();
      return await interruptUploads(platform, browser, { files: scaled(2000), bytes: scaled(25 * 1024 ** 2) });
    }),
  },
  nextjsGuarantee,
  clusterGuarantee,
  installationGuarantee,
  neighbourGuarantee,
];
