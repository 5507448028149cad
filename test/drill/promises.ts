import { keepAbuseLocal } from '../faults/runs/abuse.ts';
import { refuseBadInput } from '../faults/runs/bad-input.ts';
import { surviveDeadParts } from '../faults/runs/dead-parts.ts';
import { estateSettings } from '../faults/runs/estate.ts';
import { neverOverTheLimit } from '../faults/runs/limit.ts';
import { kill, loseNothing, pausedFor } from '../faults/runs/nothing-lost.ts';
import { oneEffectAcrossKills, oneEffectAcrossResets, oneEffectOfMany } from '../faults/runs/one-effect.ts';
import { peopleOutEverywhere } from '../faults/runs/people-out.ts';
import { revokedEverywhere, revokedWithoutNats } from '../faults/runs/revocation.ts';
import { restartUnderLoad } from '../faults/runs/rolling-restart.ts';
import { keepTenantsApart } from '../faults/runs/tenants.ts';
import { countEveryView, viewsOptions } from '../faults/runs/views-counted.ts';
import { on, type Promised, unlimited } from './promised.ts';
import { webhookPromises } from './webhook-promises.ts';

/** The drill, in the order it runs; `npm test` runs the same with small counts. */
export const promises: readonly Promised[] = [
  {
    name: 'kills',
    promise: 'kill -9 of any part during writes loses nothing and doubles nothing; back within 10 s',
    run: on({ env: unlimited }, (platform, scaled) => loseNothing(platform, kill, { rounds: scaled(10) })),
  },
  {
    name: 'pauses',
    promise: 'a part that hangs for 15 s loses nothing and doubles nothing',
    run: on({ env: unlimited }, (platform, scaled) => loseNothing(platform, pausedFor(15_000), { rounds: scaled(3) })),
  },
  {
    name: 'repeats',
    promise: '50 POSTs at once with one Idempotency-Key over three gateways have one effect',
    run: on({ gateways: 3 }, (platform, scaled) => oneEffectOfMany(platform, { rounds: scaled(100) })),
  },
  {
    name: 'repeats-after-kills',
    promise: 'a POST whose service was killed has one effect when repeated',
    run: on({ gateways: 3 }, (platform, scaled) => oneEffectAcrossKills(platform, { rounds: scaled(10) })),
  },
  {
    name: 'repeats-after-resets',
    promise: 'a POST whose connection was reset has one effect when repeated',
    run: on({ gateways: 3 }, (platform, scaled) => oneEffectAcrossResets(platform, { rounds: scaled(10) })),
  },
  {
    name: 'limit',
    promise: 'one key gets 100 requests and never more in any 60 s over three gateways',
    run: on({ gateways: 3 }, (platform, scaled) => neverOverTheLimit(platform, { windows: scaled(10), windowMs: 60_000 })),
  },
  {
    name: 'tenants',
    promise: 'no credential reaches what is not its own',
    run: on({ env: estateSettings }, (platform) => keepTenantsApart(platform)),
  },
  {
    name: 'views',
    promise: 'every accepted view is counted once, and visitors within 3 %, whatever is killed meanwhile',
    run: on(viewsOptions, (platform, scaled) => countEveryView(platform, { views: scaled(1_000_000), kills: scaled(35) })),
  },
  ...webhookPromises,
  {
    name: 'bad-input',
    promise: 'bad input is a 4xx in the envelope, never a 5xx or a crash, and stores nothing',
    run: on({ env: estateSettings }, (platform, scaled) => refuseBadInput(platform, { requests: scaled(20_000) })),
  },
  {
    name: 'abuse',
    promise: 'abuse is refused in time, costs little memory, and others are served',
    run: on({ env: unlimited }, (platform, scaled) =>
      keepAbuseLocal(platform, { slowHeads: scaled(500), slowBodies: scaled(500), endlessBodies: scaled(20), rounds: scaled(20) }),
    ),
  },
  {
    name: 'restarts',
    promise: 'restarting any process under load drops nothing',
    run: on({ gateways: 2, replicas: 2 }, (platform, scaled) => restartUnderLoad(platform, { rounds: scaled(3) })),
  },
  {
    name: 'revocation',
    promise: 'a revoked key opens nothing on any gateway after 1 s',
    run: on({ gateways: 3 }, (platform, scaled) => revokedEverywhere(platform, { rounds: scaled(20), withinMs: 1000 })),
  },
  {
    name: 'people-out',
    promise: "a removed member, and a suspended client's user, are let in on no gateway after 1 s",
    run: on({ gateways: 3 }, (platform, scaled) => peopleOutEverywhere(platform, { rounds: scaled(10), withinMs: 1000 })),
  },
  {
    name: 'revocation-without-nats',
    promise: 'with NATS down a revoked key opens nothing on any gateway after 5 s',
    run: on({ gateways: 3 }, (platform, scaled) => revokedWithoutNats(platform, { rounds: scaled(10), withinMs: 5500 })),
  },
  {
    name: 'dead-parts',
    promise: 'a part that is away for 60 s takes nothing with it that does not need it; back within 10 s',
    run: on({ gateways: 3 }, (platform, scaled) => surviveDeadParts(platform, { downMs: scaled(60) * 1000 })),
  },
];
