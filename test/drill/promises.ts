import { keepAbuseLocal } from '../faults/runs/abuse.ts';
import { refuseBadInput } from '../faults/runs/bad-input.ts';
import { surviveDeadParts } from '../faults/runs/dead-parts.ts';
import { neverOverTheLimit } from '../faults/runs/limit.ts';
import { kill, loseNothing, pausedFor } from '../faults/runs/nothing-lost.ts';
import { oneEffectAcrossKills, oneEffectAcrossResets, oneEffectOfMany } from '../faults/runs/one-effect.ts';
import type { Outcome } from '../faults/runs/outcome.ts';
import { revokedEverywhere, revokedWithoutNats } from '../faults/runs/revocation.ts';
import { restartUnderLoad } from '../faults/runs/rolling-restart.ts';
import { keepTenantsApart } from '../faults/runs/tenants.ts';
import type { TestPlatform, TestPlatformOptions } from '../harness/test-platform.ts';

/** Something the platform promises, and how it is tried in full. */
export interface Promised {
  readonly name: string;
  readonly promise: string;
  readonly platform: TestPlatformOptions;
  /** `scaled(n)` is n times the scale that was asked for, at least 1. */
  run(platform: TestPlatform, scaled: (count: number) => number): Promise<Outcome>;
}

const unlimited = { RATE_LIMIT: '1000000' };

/** The drill, in the order it runs; `npm test` runs the same with small counts. */
export const promises: readonly Promised[] = [
  {
    name: 'kills',
    promise: 'kill -9 of any part during writes loses nothing and doubles nothing; back within 10 s',
    platform: { env: unlimited },
    run: (platform, scaled) => loseNothing(platform, kill, { rounds: scaled(10) }),
  },
  {
    name: 'pauses',
    promise: 'a part that hangs for 15 s loses nothing and doubles nothing',
    platform: { env: unlimited },
    run: (platform, scaled) => loseNothing(platform, pausedFor(15_000), { rounds: scaled(3) }),
  },
  {
    name: 'repeats',
    promise: '50 POSTs at once with one Idempotency-Key over three gateways have one effect',
    platform: { gateways: 3 },
    run: (platform, scaled) => oneEffectOfMany(platform, { rounds: scaled(100) }),
  },
  {
    name: 'repeats-after-kills',
    promise: 'a POST whose service was killed has one effect when repeated',
    platform: { gateways: 3 },
    run: (platform, scaled) => oneEffectAcrossKills(platform, { rounds: scaled(10) }),
  },
  {
    name: 'repeats-after-resets',
    promise: 'a POST whose connection was reset has one effect when repeated',
    platform: { gateways: 3 },
    run: (platform, scaled) => oneEffectAcrossResets(platform, { rounds: scaled(10) }),
  },
  {
    name: 'limit',
    promise: 'one key gets 100 requests and never more in any 60 s over three gateways',
    platform: { gateways: 3 },
    run: (platform, scaled) => neverOverTheLimit(platform, { windows: scaled(10), windowMs: 60_000 }),
  },
  {
    name: 'tenants',
    promise: 'no credential reaches what is not its own',
    platform: { env: unlimited },
    run: (platform) => keepTenantsApart(platform),
  },
  {
    name: 'bad-input',
    promise: 'bad input is a 4xx in the envelope, never a 5xx or a crash, and stores nothing',
    platform: { env: unlimited },
    run: (platform, scaled) => refuseBadInput(platform, { requests: scaled(20_000) }),
  },
  {
    name: 'abuse',
    promise: 'abuse is refused in time, costs little memory, and others are served',
    platform: { env: unlimited },
    run: (platform, scaled) =>
      keepAbuseLocal(platform, { slowHeads: scaled(500), slowBodies: scaled(500), endlessBodies: scaled(20), rounds: scaled(20) }),
  },
  {
    name: 'restarts',
    promise: 'restarting any process under load drops nothing',
    platform: { gateways: 2, replicas: 2 },
    run: (platform, scaled) => restartUnderLoad(platform, { rounds: scaled(3) }),
  },
  {
    name: 'revocation',
    promise: 'a revoked key opens nothing on any gateway after 1 s',
    platform: { gateways: 3 },
    run: (platform, scaled) => revokedEverywhere(platform, { rounds: scaled(20), withinMs: 1000 }),
  },
  {
    name: 'revocation-without-nats',
    promise: 'with NATS down a revoked key opens nothing on any gateway after 5 s',
    platform: { gateways: 3 },
    run: (platform, scaled) => revokedWithoutNats(platform, { rounds: scaled(10), withinMs: 5500 }),
  },
  {
    name: 'dead-parts',
    promise: 'a part that is away for 60 s takes nothing with it that does not need it; back within 10 s',
    platform: { gateways: 3 },
    run: (platform, scaled) => surviveDeadParts(platform, { downMs: scaled(60) * 1000 }),
  },
];
