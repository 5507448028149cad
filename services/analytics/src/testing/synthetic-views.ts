import { createHash } from 'node:crypto';
import { type Device, encodeMessage, encodeView, type View } from '../views/view.ts';

interface Options {
  readonly seed: number;
  /** All sites are equally popular. */
  readonly sites: readonly { readonly name: string; readonly visitors: number }[];
}

const pagesPerSite = 200;
const repeatShare = 0.1;
const botShare = 0.05;
const repeatWithin = 2_000;
const viewsPerMessage = 40;
const devices: readonly Device[] = ['desktop', 'mobile', 'tablet', 'other'];
const browsers = ['Chrome', 'Safari', 'Firefox', 'Microsoft Edge'];
const systems = ['Windows', 'macOS', 'iOS', 'Android'];
const countries = ['DE', 'FR', 'PT', 'BR', 'US'];
const referrers = ['', 'search.example', 'news.example', 'social.example'];

/** The expected statistics of a site. */
export interface Expected {
  views: number;
  bots: number;
  readonly visitors: Set<string>;
  readonly pages: Map<string, number>;
}

const hash = (text: string, bytes: number) => createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url');

/**
 * Generates views as ingest would accept them, deterministic by seed: pages follow Zipf's law, every tenth view
 * repeats one of the last 2,000 events. Also keeps the expected statistics of all generated views.
 */
export class SyntheticViews {
  readonly expected: ReadonlyMap<string, Expected>;
  readonly #options: Options;
  readonly #random: () => number;
  readonly #page: () => number;
  readonly #originals: View[] = [];
  #made = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#random = mulberry32(options.seed);
    this.#page = zipf(pagesPerSite, this.#random);
    this.expected = new Map(options.sites.map(({ name }) => [name, { views: 0, bots: 0, visitors: new Set(), pages: new Map() }]));
  }

  /** Generates further views, at the current time. */
  next(count: number): View[] {
    return Array.from({ length: count }, () => {
      const repeated = this.#random() < repeatShare ? this.#originals[this.#drawBelow(this.#originals.length)] : undefined;
      return repeated ?? this.#original();
    });
  }

  #original(): View {
    const { seed, sites } = this.#options;
    const { name: site, visitors } = this.#draw(sites);
    const view: View = {
      site,
      at: Date.now(),
      path: `/page-${this.#page()}.html`,
      referrer: this.#draw(referrers),
      device: this.#draw(devices),
      browser: this.#draw(browsers),
      system: this.#draw(systems),
      country: this.#draw(countries),
      source: '',
      medium: '',
      campaign: '',
      bot: this.#random() < botShare,
      visitor: hash(`${seed} ${site} ${this.#drawBelow(visitors)}`, 12),
      event: hash(`${seed} ${this.#made}`, 8),
    };
    this.#originals[this.#made++ % repeatWithin] = view;
    addExpected(this.expected.get(site), view);
    return view;
  }

  #draw<T>(from: readonly T[]): T {
    return from[this.#drawBelow(from.length)] as T;
  }

  #drawBelow(max: number): number {
    return Math.floor(this.#random() * max);
  }
}

function addExpected(of: Expected | undefined, { bot, visitor, path }: View): void {
  if (of === undefined) return;
  if (bot) {
    of.bots++;
    return;
  }
  of.views++;
  of.visitors.add(visitor);
  of.pages.set(path, (of.pages.get(path) ?? 0) + 1);
}

/** Encodes views as messages, as if each had arrived in its own request. */
export function toMessages(views: readonly View[]): string[] {
  const messages: string[] = [];
  for (let from = 0; from < views.length; from += viewsPerMessage)
    messages.push(encodeMessage(views.slice(from, from + viewsPerMessage).map(encodeView)));
  return messages;
}

/** Draws numbers from 1 to `max`, n with weight 1 / n. */
function zipf(max: number, random: () => number): () => number {
  let sum = 0;
  const sums = Array.from({ length: max }, (_, rank) => {
    sum += 1 / (rank + 1);
    return sum;
  });
  return () => {
    const draw = random() * sum;
    return sums.findIndex((cumulative) => draw < cumulative) + 1;
  };
}

/** Deterministic pseudo-random numbers from 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
