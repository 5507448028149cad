import { counter } from '@webkiln/runtime';
import { RecentVisitors } from '../../rollups/site-day/recent-visitors.ts';
import { minuteMs } from '../../views/utc-day.ts';
import { Deduplicator } from '../deduplicate/deduplicator.ts';
import { WindowOffsets } from '../deduplicate/window-offsets.ts';
import type { PositionedView } from '../fold/fold.ts';
import type { ReadMessage } from '../read/read-message.ts';

const countedTotal = counter({
  name: 'webkiln_views_counted_total',
  help: 'Views that workers took off the stream: counted, or repeats of an event that came within ten minutes',
  labelNames: ['kind'],
});

/** A partition's state while it is read. Rebuilt from the stream, starting some minutes before its position. */
export class PartitionState {
  /** Everything up to this position is counted. */
  position: number;
  readonly recentVisitors = new RecentVisitors();
  readonly windowOffsets = new WindowOffsets();
  readonly #deduplicator = new Deduplicator();

  constructor(position: number) {
    this.position = position;
  }

  /** Returns the views to count. Earlier ones only rebuild the known events and present visitors. */
  takeNewViews(message: ReadMessage): PositionedView[] {
    this.windowOffsets.note(message);
    return message.views.flatMap((view) => {
      const isDuplicate = this.#deduplicator.isDuplicate(view.event, message.at);
      if (!isDuplicate && !view.bot) this.recentVisitors.record(view.site, view.visitor, Math.floor(view.at / minuteMs));
      if (message.position <= this.position) return [];
      countedTotal.inc({ kind: isDuplicate ? 'repeat' : 'counted' });
      return isDuplicate ? [] : [{ view, position: message.position }];
    });
  }
}
