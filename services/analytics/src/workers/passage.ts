import { counter } from '@webkiln/runtime';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { minuteMs } from '../rollups/utc-day.ts';
import type { CountedView } from './fold.ts';
import { GenerationStarts } from './generation-starts.ts';
import type { ReadMessage } from './read-message.ts';
import { Repeats } from './repeats.ts';

const countedTotal = counter({
  name: 'webkiln_views_counted_total',
  help: 'Views that workers took off the stream: counted, or repeats of an event that came within ten minutes',
  labelNames: ['kind'],
});

/** What is remembered of a partition while it is read from some minutes before its position on. */
export class Passage {
  /** Everything up to here is counted. */
  position: number;
  readonly there = new RecentVisitors();
  readonly starts = new GenerationStarts();
  readonly #repeats = new Repeats();

  constructor(position: number) {
    this.position = position;
  }

  /** The views of a message that are to be counted. Those of before the position are only noted, for what comes after them. */
  countedOf(message: ReadMessage): CountedView[] {
    this.starts.note(message);
    return message.views.flatMap((view) => {
      const isRepeat = this.#repeats.isRepeat(view.event, message.at);
      if (!isRepeat && !view.bot) this.there.see(view.site, view.visitor, Math.floor(view.at / minuteMs));
      if (message.position <= this.position) return [];
      countedTotal.inc({ kind: isRepeat ? 'repeat' : 'counted' });
      return isRepeat ? [] : [{ view, position: message.position }];
    });
  }
}
