/** For so many minutes a visitor counts as being there. */
export const windowMinutes = 5;
const rememberedMost = 100_000;

interface Site {
  readonly lastSeen: Map<string, number>;
  readonly seenIn: Map<number, number>;
}

/** Who was on a site in the last five minutes, in memory alone: who takes a partition over reads that again off the stream. */
export class RecentVisitors {
  readonly #sites = new Map<string, Site>();
  #remembered = 0;
  #newest = 0;

  /** Notes a visitor; of more than 100,000 in five minutes the rest is not counted. `minute`: since 1970. */
  see(site: string, visitor: string, minute: number): void {
    if (minute > this.#newest) this.#forgetBefore(minute - windowMinutes);
    this.#newest = Math.max(this.#newest, minute);
    if (minute <= this.#newest - windowMinutes) return;
    const { lastSeen, seenIn } = this.#site(site);
    const before = lastSeen.get(visitor);
    if (before !== undefined && before >= minute) return;
    if (before === undefined) {
      if (this.#remembered >= rememberedMost) return;
      this.#remembered++;
    } else seenIn.set(before, (seenIn.get(before) ?? 1) - 1);
    lastSeen.set(visitor, minute);
    seenIn.set(minute, (seenIn.get(minute) ?? 0) + 1);
  }

  /** How many visitors were seen last in that minute. */
  countIn(site: string, minute: number): number {
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

  #forgetBefore(minute: number): void {
    for (const [name, { lastSeen, seenIn }] of this.#sites) {
      for (const [visitor, seen] of lastSeen) {
        if (seen <= minute && lastSeen.delete(visitor)) this.#remembered--;
      }
      for (const seen of seenIn.keys()) if (seen <= minute) seenIn.delete(seen);
      if (lastSeen.size === 0) this.#sites.delete(name);
    }
  }
}
