import type { RecentVisitors } from './recent-visitors.ts';
import { windowMinutes } from './recent-visitors.ts';
import type { RecentMinute } from './site-day-store.ts';

/** For so many minutes the views of each are kept. */
export const keptMinutes = 30;

/** The views of a site-day's last 30 minutes, minute by minute. */
export class RecentMinutes {
  readonly #rows: Map<string, RecentMinute>;
  readonly #changed = new Set<string>();
  #newest = 0;

  constructor(rows: Readonly<Record<string, RecentMinute>> = {}) {
    this.#rows = new Map(Object.entries(rows));
    for (const [minute] of this.#rows.values()) this.#newest = Math.max(this.#newest, minute);
  }

  add(minute: number): void {
    const slot = String(minute % keptMinutes);
    const row = this.#rows.get(slot);
    if (row !== undefined && row[0] > minute) return;
    const [views, visitors] = row?.[0] === minute ? [row[1], row[2]] : [0, 0];
    this.#rows.set(slot, [minute, views + 1, visitors]);
    this.#changed.add(slot);
    this.#newest = Math.max(this.#newest, minute);
  }

  /** The rows that changed since the last `settle`, with the visitors that are there by now. */
  changes(site: string, visitors: RecentVisitors): [string, RecentMinute][] {
    for (let minute = this.#newest; minute > this.#newest - windowMinutes; minute--) {
      const slot = String(minute % keptMinutes);
      const row = this.#rows.get(slot);
      const there = visitors.countIn(site, minute);
      if (row === undefined || row[0] !== minute || row[2] === there) continue;
      this.#rows.set(slot, [minute, row[1], there]);
      this.#changed.add(slot);
    }
    return [...this.#changed].flatMap((slot) => {
      const row = this.#rows.get(slot);
      return row === undefined ? [] : [[slot, row]];
    });
  }

  settle(): void {
    this.#changed.clear();
  }
}
