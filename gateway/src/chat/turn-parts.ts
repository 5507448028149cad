import { endOfTurn, type StoredPart } from '@webkiln/events/streams';
import type { IncomingReply } from '@webkiln/rpc';

/** After so long without a part the gateway asks what has become of the turn. */
const askAfterMs = 5_000;
/** The last parts of a turn that has ended may still be on their way. */
const lateMs = 1_000;

/** A turn as the service that works on it has recorded it. */
export type RecordedTurn = IncomingReply<'embed.GetTurn'>;

interface Source {
  readonly turnId: string;
  readonly parts: AsyncGenerator<StoredPart, void, undefined>;
  /** The number of the part that the reader has seen last; 0 for none. */
  readonly after: number;
  /** True if the turn is known to have ended. */
  readonly isOver: boolean;
  /** The turn once it has ended; undefined while it runs, or if nobody can say. */
  readonly findEnded: () => Promise<RecordedTurn | undefined>;
}

/**
 * The parts of a turn up to `[DONE]`. What is missing of a turn that has ended is made from its record: parts are kept
 * for an hour, and a process may die before it has published the last ones.
 */
export async function* partsUntilEnd({ turnId, parts, after, isOver, findEnded }: Source): AsyncGenerator<StoredPart, void, undefined> {
  let last = after;
  let hasEnded = isOver;
  let next = parts.next();
  for (;;) {
    const part = await within(next, hasEnded ? lateMs : askAfterMs);
    if (part !== undefined) {
      if (part.done === true) return;
      last = part.value.seq;
      yield part.value;
      next = parts.next();
      continue;
    }
    const ended = await findEnded();
    if (ended === undefined) continue;
    if (hasEnded) return yield* numbered([...(last === 0 ? beginning(turnId, ended) : []), ...ending(turnId, ended)], last);
    hasEnded = true;
  }
}

/** Undefined if the promise takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: silence, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function* numbered(texts: readonly string[], last: number): Generator<StoredPart, void> {
  let seq = last;
  for (const json of texts) yield { seq: ++seq, json };
}

function beginning(turn_id: string, { text }: RecordedTurn): string[] {
  const start = { type: 'start', messageId: turn_id, messageMetadata: { turn_id } };
  if (text === '') return [JSON.stringify(start)];
  const id = `text-${turn_id}`;
  const said = [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ];
  return [start, ...said].map((part) => JSON.stringify(part));
}

const unknown = 'This turn is not kept any more.';
const failed = 'This turn did not come to its end. The site is as it was before: send the message again.';

function ending(turn_id: string, { state, revision_id }: RecordedTurn): string[] {
  const last =
    state === 'done'
      ? { type: 'finish', messageMetadata: { turn_id, revision_id: revision_id ?? null } }
      : state === 'stopped'
        ? { type: 'abort' }
        : { type: 'error', errorText: state === '' ? unknown : failed };
  return [JSON.stringify(last), endOfTurn];
}
