import { endAccessEverywhere } from '../faults/runs/access/member-removal.ts';
import { pauseSitesEverywhere, takeDownEverywhere } from '../faults/runs/access/paused-sites.ts';
import { revokeEverywhere, revokeWithoutNats } from '../faults/runs/access/revocation.ts';
import { suspendEverywhere } from '../faults/runs/access/suspension.ts';
import { type Guarantee, on } from './guarantee.ts';

/** The guarantees about access that ends. */
export const accessGuarantees: readonly Guarantee[] = [
  {
    name: 'revocation',
    guarantee: 'a revoked key is refused by every gateway after 1 s',
    run: on({ gateways: 3 }, (platform, scaled) => revokeEverywhere(platform, { rounds: scaled(20), maxDelayMs: 1000 })),
  },
  {
    name: 'people-out',
    guarantee: "a removed member and a suspended client's user are refused by every gateway after 1 s",
    run: on({ gateways: 3 }, (platform, scaled) => endAccessEverywhere(platform, { rounds: scaled(10), maxDelayMs: 1000 })),
  },
  {
    name: 'suspension',
    guarantee: 'the credentials of a suspended organization are refused by every gateway after 1 s',
    run: on({ gateways: 3 }, (platform, scaled) => suspendEverywhere(platform, { rounds: scaled(20), maxDelayMs: 1000 })),
  },
  {
    name: 'paused-sites',
    guarantee: 'the site and the preview of a suspended organization are paused at every replica after 1 s',
    run: on({ gateways: 2, replicas: 2 }, (platform, scaled) => pauseSitesEverywhere(platform, { rounds: scaled(20), maxDelayMs: 1000 })),
  },
  {
    name: 'taken-down-sites',
    guarantee: 'a site that is taken down and its preview show a notice at every replica after 1 s',
    run: on({ gateways: 2, replicas: 2 }, (platform, scaled) => takeDownEverywhere(platform, { rounds: scaled(20), maxDelayMs: 1000 })),
  },
  {
    name: 'revocation-without-nats',
    guarantee: 'with NATS down, a revoked key is refused by every gateway after 5 s',
    run: on({ gateways: 3 }, (platform, scaled) => revokeWithoutNats(platform, { rounds: scaled(10), maxDelayMs: 5500 })),
  },
];
