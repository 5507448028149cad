import { counter, gauge } from '@webkiln/runtime';
import { findBus } from '../bus.ts';
import { countDeadLetters } from './replay-store.ts';

/** Above this number the exact figure does not matter. */
const maxCount = 10_000;

export const setAsideTotal = counter({
  name: 'webkiln_dead_letters_total',
  help: 'Messages that became dead letters: unreadable, or failing for too long',
  labelNames: ['consumer'],
});

const kept = gauge({
  name: 'webkiln_dead_letters',
  help: `Dead letters that this service keeps, by consumer; at most ${maxCount}. While the store is away: the last value`,
  labelNames: ['consumer'],
  collect: async () => {
    for (const consumer of findBus()?.replays.keys() ?? []) {
      const count = await countDeadLetters(consumer, maxCount).catch(() => undefined);
      if (count !== undefined) kept.set({ consumer }, count);
    }
  },
});
