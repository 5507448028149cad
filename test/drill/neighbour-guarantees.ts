import { liveBeside } from '../faults/runs/neighbours/live-beside.ts';
import { neighbourSettings, nuisances } from '../faults/runs/neighbours/nuisances.ts';
import { type Guarantee, on } from './guarantee.ts';

/** What one tenant or visitor does costs at most that tenant. `--only neighbours` runs all of them. */
export const neighbourGuarantees: readonly Guarantee[] = nuisances.map((nuisance) => ({
  name: `neighbours-${nuisance.name}`,
  guarantee: `a neighbour loses nothing while ${nuisance.what}`,
  run: on({ env: neighbourSettings([nuisance]) }, (platform, scaled) =>
    liveBeside(platform, nuisance, { rounds: 3, msEach: scaled(60) * 1000, measured: true }),
  ),
}));
