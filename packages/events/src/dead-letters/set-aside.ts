import { counter, gauge, logger } from '@webkiln/runtime';
import { type Bus, findBus } from '../bus.ts';
import { countDeadLetters, type FailedMessage, setAside } from './dead-letter-store.ts';

/** A message without the fields of an event: no attempt can succeed. */
export class UnreadableMessage extends Error {}

/**
 * Keeps a message as a dead letter, counts and logs it. When this resolves, the message may leave the stream. Throws
 * while the store is away.
 */
export async function becomeDeadLetter(bus: Bus, failed: FailedMessage, error: unknown): Promise<void> {
  const { keepDays: days, keepMax: max } = bus.giveUp;
  const id = await setAside(failed, error, { days, max });
  setAsideTotal.inc({ consumer: failed.consumer });
  logger.error(
    { err: error, consumer: failed.consumer, dead_letter: id },
    'a message could not be handled and is set aside: see `npm run webkiln -- dead-letters list`; other messages go on',
  );
}

/** Above this number the exact figure does not matter. */
const maxCount = 10_000;

const setAsideTotal = counter({
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
