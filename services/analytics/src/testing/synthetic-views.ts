import { createHash } from 'node:crypto';
import { type Device, encodeMessage, encodeView, type View } from '../views/view.ts';

interface Wanted {
  readonly seed: number;
  /** Each is viewed as often as the others. */
  readonly sites: readonly { readonly name: string; readonly visitors: number }[];
}

const pagesPerSite = 200;
const repeatShare = 0.1;
const botShare = 0.05;
const repeatWithin = 2_000;
const viewsPerMessage = 40;
const devices: readonly Device[] = ['desktop', 'mobile', 'tablet', 'other'];
const referrers = ['', 'search.example', 'news.example', 'social.example'];

/** What the figures of a site must be. */
export interface Expected {
  views: number;
  bots: number;
  readonly visitors: Set<string>;
  readonly pages: Map<string, number>;
}

const hashed = (text: string, bytes: number) => createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url');

/**
 * Views as ingest would have accepted them, the same for the same seed: pages by Zipf's law, every tenth a repeat of an event among the 2,000
 * before; and what is to come of all that were made.
 */
export class SyntheticViews {
  readonly expected: ReadonlyMap<string, Expected>;
  readonly #wanted: Wanted;
  readonly #random: () => number;
  readonly #page: () => number;
  readonly #originals: View[] = [];
  #made = 0;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#random = mulberry32(wanted.seed);
    this.#page = zipfOf(pagesPerSite, this.#random);
    this.expected = new Map(wanted.sites.map(({ name }) => [name, { views: 0, bots: 0, visitors: new Set(), pages: new Map() }]));
  }

  /** So many more, viewed now. */
  next(count: number): View[] {
    return Array.from({ length: count }, () => {
      const repeated = this.#random() < repeatShare ? this.#originals[this.#upTo(this.#originals.length)] : undefined;
      return repeated ?? this.#original();
    });
  }

  #original(): View {
    const { seed, sites } = this.#wanted;
    const { name: site, visitors } = this.#drawn(sites);
    const view: View = {
      site,
      at: Date.now(),
      path: `/page-${this.#page()}.html`,
      referrer: this.#drawn(referrers),
      device: this.#drawn(devices),
      bot: this.#random() < botShare,
      visitor: hashed(`${seed} ${site} ${this.#upTo(visitors)}`, 12),
      event: hashed(`${seed} ${this.#made}`, 8),
    };
    this.#originals[this.#made++ % repeatWithin] = view;
    noted(this.expected.get(site), view);
    return view;
  }

  #drawn<T>(from: readonly T[]): T {
    return from[this.#upTo(from.length)] as T;
  }

  #upTo(most: number): number {
    return Math.floor(this.#random() * most);
  }
}

function noted(of: Expected | undefined, { bot, visitor, path }: View): void {
  if (of === undefined) return;
  if (bot) {
    of.bots++;
    return;
  }
  of.views++;
  of.visitors.add(visitor);
  of.pages.set(path, (of.pages.get(path) ?? 0) + 1);
}

/** The messages that hold views, in their order, as if each had come with a request of its own. */
export function messagesOf(views: readonly View[]): string[] {
  const messages: string[] = [];
  for (let from = 0; from < views.length; from += viewsPerMessage)
    messages.push(encodeMessage(views.slice(from, from + viewsPerMessage).map(encodeView)));
  return messages;
}

/** Draws 1 to `most`, n with a weight of 1 / n. */
function zipfOf(most: number, random: () => number): () => number {
  let sum = 0;
  const sums = Array.from({ length: most }, (_, rank) => {
    sum += 1 / (rank + 1);
    return sum;
  });
  return () => {
    const drawn = random() * sum;
    return sums.findIndex((upTo) => drawn < upTo) + 1;
  };
}

/** Numbers from 0 to 1 that look random and are the same for the same seed. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
