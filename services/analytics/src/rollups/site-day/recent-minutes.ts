import type { RecentVisitors } from './recent-visitors.ts';
import { presenceMinutes } from './recent-visitors.ts';
import type { RecentMinute } from './site-day-store.ts';

/** Views are kept per minute for this many minutes. */
export const realtimeMinutes = 30;

/** The views of a site-day's last 30 minutes, per minute. */
export class RecentMinutes {
  readonly #rows: Map<string, RecentMinute>;
  readonly #changed = new Set<string>();
  #newest = 0;

  constructor(rows: Readonly<Record<string, RecentMinute>> = {}) {
    this.#rows = new Map(Object.entries(rows));
    for (const [minute] of this.#rows.values()) this.#newest = Math.max(this.#newest, minute);
  }

  add(minute: number): void {
    const slot = String(minute % realtimeMinutes);
    const row = this.#rows.get(slot);
    if (row !== undefined && row[0] > minute) return;
    const [views, visitors] = row?.[0] === minute ? [row[1], row[2]] : [0, 0];
    this.#rows.set(slot, [minute, views + 1, visitors]);
    this.#changed.add(slot);
    this.#newest = Math.max(this.#newest, minute);
  }

  /** Returns the rows that changed since the last `markSaved`, with their current visitors. */
  changes(site: string, visitors: RecentVisitors): [string, RecentMinute][] {
    for (let minute = this.#newest; minute > this.#newest - presenceMinutes; minute--) {
      const slot = String(minute % realtimeMinutes);
      const row = this.#rows.get(slot);
      const present = visitors.countLastSeenIn(site, minute);
      if (row === undefined || row[0] !== minute || row[2] === present) continue;
      this.#rows.set(slot, [minute, row[1], present]);
      this.#changed.add(slot);
    }
    return [...this.#changed].flatMap((slot) => {
      const row = this.#rows.get(slot);
      return row === undefined ? [] : [[slot, row]];
    });
  }

  markSaved(): void {
    this.#changed.clear();
  }
}
