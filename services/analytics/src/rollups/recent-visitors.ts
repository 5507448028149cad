/** A visitor counts as present for this many minutes. */
export const presenceMinutes = 5;
const maxVisitors = 100_000;

interface Site {
  readonly lastSeen: Map<string, number>;
  readonly seenIn: Map<number, number>;
}

/** The visitors of the last five minutes, in memory. Rebuilt from the stream when a partition changes hands. */
export class RecentVisitors {
  readonly #sites = new Map<string, Site>();
  #visitorCount = 0;
  #newest = 0;

  /** Records a visitor in a minute since 1970. Beyond 100,000 visitors in five minutes it ignores new ones. */
  record(site: string, visitor: string, minute: number): void {
    if (minute > this.#newest) this.#forgetUntil(minute - presenceMinutes);
    this.#newest = Math.max(this.#newest, minute);
    if (minute <= this.#newest - presenceMinutes) return;
    const { lastSeen, seenIn } = this.#site(site);
    const before = lastSeen.get(visitor);
    if (before !== undefined && before >= minute) return;
    if (before === undefined) {
      if (this.#visitorCount >= maxVisitors) return;
      this.#visitorCount++;
    } else seenIn.set(before, (seenIn.get(before) ?? 1) - 1);
    lastSeen.set(visitor, minute);
    seenIn.set(minute, (seenIn.get(minute) ?? 0) + 1);
  }

  /** Counts the visitors who were last seen in this minute. */
  countLastSeenIn(site: string, minute: number): number {
    return this.#sites.get(site)?.seenIn.get(minute) ?? 0;
  }

  #site(name: string): Site {
    let site = this.#sites.get(name);
    if (site === undefined) {
      site = { lastSeen: new Map(), seenIn: new Map() };
      this.#sites.set(name, site);
    }
    return site;
  }

  #forgetUntil(minute: number): void {
    for (const [name, { lastSeen, seenIn }] of this.#sites) {
      for (const [visitor, seen] of lastSeen) {
        if (seen <= minute && lastSeen.delete(visitor)) this.#visitorCount--;
      }
      for (const seen of seenIn.keys()) if (seen <= minute) seenIn.delete(seen);
      if (lastSeen.size === 0) this.#sites.delete(name);
    }
  }
}
