import { arrivalSettings, deliverEveryEvent } from '../faults/runs/webhooks/arrival.ts';
import { deliverBesideHangingWebhook } from '../faults/runs/webhooks/fairness.ts';
import { refuseAddressesAlone } from '../faults/runs/webhooks/forbidden-addresses.ts';
import { stopWebhooks } from '../faults/runs/webhooks/graceful-stop.ts';
import { noRetrySettings } from '../faults/runs/webhooks/no-retry-settings.ts';
import { keepPace } from '../faults/runs/webhooks/pace.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { type Guarantee, on, unlimited } from './guarantee.ts';

/** The guarantees about webhooks. */
export const webhookGuarantees: readonly Guarantee[] = [
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
