import { patientSettings } from '../faults/runs/patient-settings.ts';
import { reachNobodyInside } from '../faults/runs/webhook-addresses.ts';
import { keepFair } from '../faults/runs/webhook-fairness.ts';
import { keepPace } from '../faults/runs/webhook-pace.ts';
import { stopWebhooks } from '../faults/runs/webhook-stop.ts';
import { arrivalSettings, webhooksArrive } from '../faults/runs/webhooks-arrive.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { on, type Promised, unlimited } from './promised.ts';

/** What is promised of webhooks. */
export const webhookPromises: readonly Promised[] = [
  {
    name: 'webhook-addresses',
    promise: 'webhooks reach only the public internet, whatever the form of the address',
    run: () => reachNobodyInside(),
  },
  {
    name: 'webhooks-arrive',
    promise: 'every event arrives at every webhook that wants it, whatever is killed and however receivers behave',
    run: on({ env: arrivalSettings }, (platform, scaled) => webhooksArrive(platform, { msEach: scaled(60) * 1000 })),
  },
  {
    name: 'webhook-stop',
    promise: 'a webhooks process that is stopped hands back what it has under way, and another one delivers it',
    run: on({ replicas: 2, env: patientSettings }, (platform, scaled) => stopWebhooks(platform, { rounds: scaled(5) })),
  },
  {
    name: 'webhook-fairness',
    promise: 'every event arrives at ten webhooks while one beside them has not answered its first request',
    run: on({ env: patientSettings }, (platform, scaled) => keepFair(platform, { clients: scaled(2000), replicas: 1 })),
  },
  {
    name: 'webhook-pace',
    promise: 'a webhook that hangs makes ten others at most twice as slow at p99',
    run: on({ env: { ...localReceivers, ...unlimited } }, (platform, scaled) => keepPace(platform, { rounds: scaled(5), msEach: 12_000 })),
  },
];
