import { logger } from '@webkiln/runtime';
import type { Bus } from '../bus.ts';
import { setAside } from './dead-letter-store.ts';
import type { Letter } from './letter.ts';
import { setAsideTotal } from './metrics.ts';

/** A message without the fields of an event: no attempt can succeed. */
export class UnreadableMessage extends Error {}

/**
 * Keeps a message as a dead letter, counts and logs it. When this resolves, the message may leave the stream. Throws
 * while the store is away.
 */
export async function becomeDeadLetter(bus: Bus, letter: Letter, error: unknown): Promise<void> {
  const { keepDays: days, keepMax: max } = bus.giveUp;
  const id = await setAside(letter, error, { days, max });
  setAsideTotal.inc({ consumer: letter.consumer });
  logger.error(
    { err: error, consumer: letter.consumer, dead_letter: id },
    'a message could not be handled and is set aside: see `npm run webkiln -- dead-letters list`; other messages go on',
  );
}
