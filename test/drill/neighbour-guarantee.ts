import { disturb, disturbWithoutBounds } from '../faults/runs/neighbours/disturb.ts';
import { nuisances } from '../faults/runs/neighbours/nuisances/index.ts';
import type { Guarantee } from './guarantee.ts';

/** What one tenant or visitor does costs at most that tenant. */
export const neighbourGuarantee: Guarantee = {
  name: 'neighbours',
  guarantee: `a neighbour of ${nuisances.length} nuisances, one after the other, loses nothing and waits at most twice as long`,
  run: (scaled, { nuisance: names, withoutBounds, seconds }) => {
    const chosen = names.length === 0 ? nuisances : nuisances.filter(({ name }) => names.includes(name));
    return (withoutBounds ? disturbWithoutBounds : disturb)(chosen, { msEach: scaled(seconds) * 1000 });
  },
};
