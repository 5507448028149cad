import path from 'node:path';
import { cached } from '../obtain/cache.ts';
import { type Report, reported } from '../report.ts';
import type { Part, Store } from '../stores/store.ts';
import { imageInEngine } from './engine.ts';
import { programOnPath } from './program-on-path.ts';

/** How a store is had on this machine. */
export type Supply = { readonly url: string } | { readonly program: string } | { readonly image: string };

interface Way<Found> {
  /** What a person can do to open this way. */
  readonly advice: string;
  /** Throws a sentence that says why this way is closed; undefined when it was not asked for. */
  find(): Promise<Found | undefined>;
}

/** A part that cannot be had: the message names every way to supply it. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}

/** Has a store: by its URL in the environment, else its program on the PATH, else in a container, else fetched into the cache. */
export function supplyStore(store: Store, env: NodeJS.ProcessEnv, report: Report): Promise<Supply> {
  return firstOpen<Supply>(store, [byUrl(store, env), onPath(store), inContainer(store, report), obtained(store, report)]);
}

/** Has several stores, each with its supply; when some cannot be had the error names them all. */
export async function supplyStores(stores: readonly Store[], env: NodeJS.ProcessEnv, report: Report): Promise<[Store, Supply][]> {
  const supplies = await Promise.allSettled(
    stores.map(async (store): Promise<[Store, Supply]> => [store, await supplyStore(store, env, report)]),
  );
  const missing = supplies.flatMap((supply) => (supply.status === 'rejected' ? [(supply.reason as Error).message] : []));
  if (missing.length > 0) throw new PartMissing(missing.join('\n\n'));
  return supplies.flatMap((supply) => (supply.status === 'fulfilled' ? [supply.value] : []));
}

/** Has a program: where its setting says, else on the PATH, else fetched into the cache. */
export async function supplyProgram(part: Part, report: Report): Promise<string> {
  const { program } = await firstOpen(part, [...bySetting(part), onPath(part), obtained(part, report)]);
  return program;
}

/** The first way that is open; `PartMissing` when none is. */
export async function firstOpen<Found>(part: Part, ways: readonly Way<Found>[]): Promise<Found> {
  const closed: string[] = [];
  for (const { advice, find } of ways) {
    try {
      const found = await find();
      if (found !== undefined) return found;
      closed.push(`  - ${advice}`);
    } catch (error) {
      closed.push(`  - ${advice} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  throw new PartMissing(`${part.title} is needed and cannot be had here. Any one of these supplies it:\n${closed.join('\n')}`);
}

function byUrl({ urlVariable }: Store, env: NodeJS.ProcessEnv): Way<{ url: string }> {
  const url = env[urlVariable];
  return { advice: `set ${urlVariable} to one that runs already`, find: async () => (url ? { url } : undefined) };
}

function bySetting({ pathVariable, program }: Part): Way<{ program: string }>[] {
  if (pathVariable === undefined) return [];
  const file = process.env[pathVariable];
  return [{ advice: `set ${pathVariable} to the path of ${program}`, find: async () => (file ? { program: file } : undefined) }];
}

function onPath(part: Part): Way<{ program: string }> {
  const version = part.minimum === undefined ? '' : ` ${part.minimum.join('.')} or newer`;
  return { advice: `install ${part.program}${version} on the PATH`, find: async () => ({ program: await programOnPath(part) }) };
}

function inContainer(store: Store, report: Report): Way<{ image: string }> {
  return {
    advice: `start a container engine, which runs ${store.image}`,
    find: async () => ({ image: await imageInEngine(store, report) }),
  };
}

function obtained({ title, obtained: { from, folder, executable, fetch } }: Part, report: Report): Way<{ program: string }> {
  return {
    advice: `let it be fetched as ${from}`,
    async find() {
      const place = await cached(folder, (draft) => reported(report, title, `fetching ${from} (once)`, () => fetch(draft)));
      return { program: path.join(place, executable) };
    },
  };
}
