import { createHash } from 'node:crypto';
import { type Device, encodeMessage, encodeView, partitionOf, type View } from '../views/view.ts';

interface Wanted {
  readonly seed: number;
  readonly count: number;
  readonly sites: readonly string[];
  readonly visitorsPerSite: number;
  /** Milliseconds since 1970 of all views. */
  readonly at: number;
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
 * before; and what is to come of them.
 */
export function syntheticViews({ seed, count, sites, visitorsPerSite, at }: Wanted) {
  const random = mulberry32(seed);
  const upTo = (most: number) => Math.floor(random() * most);
  const zipf = zipfOf(pagesPerSite, random);
  const expected = new Map(
    sites.map((site) => [site, { views: 0, bots: 0, visitors: new Set<string>(), pages: new Map<string, number>() }]),
  );
  const originals: View[] = [];
  const views = Array.from({ length: count }, (_, number): View => {
    const earlier = random() < repeatShare ? originals.at(-1 - upTo(Math.min(repeatWithin, originals.length))) : undefined;
    if (earlier !== undefined) return earlier;
    const site = sites[upTo(sites.length)] ?? '';
    const page = `/page-${zipf()}.html`;
    const view: View = {
      site,
      at,
      path: page,
      referrer: referrers[upTo(referrers.length)] ?? '',
      device: devices[upTo(devices.length)] ?? 'other',
      bot: random() < botShare,
      visitor: hashed(`${seed} ${site} ${upTo(visitorsPerSite)}`, 12),
      event: hashed(`${seed} ${number}`, 8),
    };
    originals.push(view);
    noted(expected.get(site), view);
    return view;
  });
  return { views, expected };
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

/** The messages that hold views, in their order, each with its partition. */
export function messagesOf(views: readonly View[], partitions: number): { partition: number; message: string }[] {
  const messages: { partition: number; message: string }[] = [];
  const waiting = Array.from({ length: partitions }, (): string[] => []);
  const flush = (partition: number, least: number) => {
    const encoded = waiting[partition] ?? [];
    if (encoded.length >= least) messages.push({ partition, message: encodeMessage(encoded.splice(0)) });
  };
  for (const view of views) {
    const partition = partitionOf(view.site, partitions);
    waiting[partition]?.push(encodeView(view));
    flush(partition, viewsPerMessage);
  }
  for (let partition = 0; partition < partitions; partition++) flush(partition, 1);
  return messages;
}

/** Draws 1 to `most`, n with a weight of 1 / n. */
function zipfOf(most: number, random: () => number): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= most; rank++) {
    sum += 1 / rank;
    sums.push(sum);
  }
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
