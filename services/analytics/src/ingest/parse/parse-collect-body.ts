import { isUtf8 } from 'node:buffer';
import { AppError, validate } from '@webkiln/contract';
import * as z from 'zod';
import { parsePagePath, pathRequirement } from './page-path.ts';

const maxEvents = 50;

/** The body of POST /api/collect. Unknown fields are ignored: browsers cache the tracker for up to an hour. */
const Body = z.object({
  events: z
    .array(
      z.object({
        id: z
          .string({ error: 'must be a string' })
          .min(1, { error: 'must not be empty' })
          .max(100, { error: 'must be at most 100 characters' })
          .optional(),
        path: z.string({ error: pathRequirement }),
        referrer: z.string({ error: 'must be a string' }).optional(),
        at: z.number({ error: 'must be milliseconds since 1970' }).optional(),
      }),
      { error: 'must be a list of views' },
    )
    .min(1, { error: 'must have at least one view' })
    .max(maxEvents, { error: `must have at most ${maxEvents} views` }),
});

export interface CollectedEvent {
  /** Equal for all repeats of an event; "" if the event has no id. */
  readonly id: string;
  readonly path: string;
  readonly referrer: string;
  /** Milliseconds since 1970, by the visitor's clock. */
  readonly at: number | undefined;
}

/** Parses a body. Throws `malformed_json`, or `validation_failed` with the fields to correct. */
export function parseCollectBody(body: Buffer): CollectedEvent[] {
  const { events } = validate(Body, parsed(body));
  return events.map(({ id = '', path: written, referrer = '', at }, index) => {
    const path = parsePagePath(written);
    if (path === undefined) throw new AppError('validation_failed', [{ path: `events.${index}.path`, message: pathRequirement }]);
    return { id, path, referrer, at };
  });
}

function parsed(body: Buffer): unknown {
  if (!isUtf8(body)) throw new AppError('malformed_json');
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw new AppError('malformed_json', [], { cause: error });
  }
}
