import { isUtf8 } from 'node:buffer';
import { AppError, validate } from '@webkiln/contract';
import * as z from 'zod';
import { pathForm, viewedPath } from './viewed-path.ts';

const eventsMost = 50;

/** What POST /api/collect takes. Fields that are not known are left alone: a browser may keep a newer or older tracker for an hour. */
const Body = z.object({
  events: z
    .array(
      z.object({
        id: z
          .string({ error: 'must be a string' })
          .min(1, { error: 'must not be empty' })
          .max(100, { error: 'must be at most 100 characters' })
          .optional(),
        path: z.string({ error: pathForm }),
        referrer: z.string({ error: 'must be a string' }).optional(),
        at: z.number({ error: 'must be milliseconds since 1970' }).optional(),
      }),
      { error: 'must be a list of views' },
    )
    .min(1, { error: 'must have at least one view' })
    .max(eventsMost, { error: `must have at most ${eventsMost} views` }),
});

export interface CollectedEvent {
  /** The same on every repeat of one event; "" where there is none. */
  readonly id: string;
  readonly path: string;
  readonly referrer: string;
  /** Milliseconds since 1970 by the visitor's clock. */
  readonly at: number | undefined;
}

/** The events of a body; throws `malformed_json`, or `validation_failed` with what needs correcting. */
export function collectedEvents(body: Buffer): CollectedEvent[] {
  const { events } = validate(Body, parsed(body));
  return events.map(({ id = '', path: written, referrer = '', at }, index) => {
    const path = viewedPath(written);
    if (path === undefined) throw new AppError('validation_failed', [{ path: `events.${index}.path`, message: pathForm }]);
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
