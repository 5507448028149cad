import path from 'node:path';
import { cached } from '../download/cache.ts';
import { type Report, reportDuration } from '../report.ts';
import type { Dependency, Store } from '../stores/dependency.ts';
import { programOnPath } from './program-on-path.ts';

/** How a store is supplied on this machine: by its URL, a program to start, or a container image. */
export type Supply = { readonly url: string } | { readonly program: string } | { readonly image: string };

interface Provider<Found> {
  /** What the user can do to make this provider work. */
  readonly advice: string;
  /** Throws an error with the reason if this provider does not work; undefined if it is not configured. */
  find(): Promise<Found | undefined>;
}

/** A dependency cannot be supplied. The message lists every way to supply it. */
export class DependencyMissing extends Error {
  override readonly name = 'DependencyMissing';
}

/** Provides a store: its URL from the environment, else its program on the PATH, else a container, else a download. */
export function supplyStore(store: Store, env: NodeJS.ProcessEnv, report: Report): Promise<Supply> {
  return firstAvailable<Supply>(store, [fromUrl(store, env), fromPath(store), fromImage(store, report), download(store, report)]);
}

/** Supplies several stores. The error names all that cannot be supplied. */
export async function supplyStores(stores: readonly Store[], env: NodeJS.ProcessEnv, report: Report): Promise<[Store, Supply][]> {
  const supplies = await Promise.allSettled(
    stores.map(async (store): Promise<[Store, Supply]> => [store, await supplyStore(store, env, report)]),
  );
  const missing = supplies.flatMap((supply) => (supply.status === 'rejected' ? [(supply.reason as Error).message] : []));
  if (missing.length > 0) throw new DependencyMissing(missing.join('\n\n'));
  return supplies.flatMap((supply) => (supply.status === 'fulfilled' ? [supply.value] : []));
}

/** Supplies a program: from its setting, else the PATH, else downloaded into the cache. */
export async function supplyProgram(part: Dependency, report: Report): Promise<string> {
  const { program } = await firstAvailable(part, [...fromSetting(part), fromPath(part), download(part, report)]);
  return program;
}

/** Supplies a program as it is downloaded, whatever the PATH has: for programs whose version decides what tests see. */
export async function supplyDownload(part: Dependency, report: Report): Promise<string> {
  const { program } = await firstAvailable(part, [download(part, report)]);
  return program;
}

/** The first provider that works. Throws `DependencyMissing` if none does. */
export async function firstAvailable<Found>(part: Pick<Dependency, 'title'>, providers: readonly Provider<Found>[]): Promise<Found> {
  const failures: string[] = [];
  for (const { advice, find } of providers) {
    try {
      const found = await find();
      if (found !== undefined) return found;
      failures.push(`  - ${advice}`);
    } catch (error) {
      failures.push(`  - ${advice} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  throw new DependencyMissing(`${part.title} is needed and cannot be had here. Any one of these supplies it:\n${failures.join('\n')}`);
}

function fromUrl({ urlVariable }: Store, env: NodeJS.ProcessEnv): Provider<{ url: string }> {
  const url = env[urlVariable];
  return { advice: `set ${urlVariable} to one that runs already`, find: async () => (url ? { url } : undefined) };
}

function fromSetting({ pathVariable, program }: Dependency): Provider<{ program: string }>[] {
  if (pathVariable === undefined) return [];
  const file = process.env[pathVariable];
  return [{ advice: `set ${pathVariable} to the path of ${program}`, find: async () => (file ? { program: file } : undefined) }];
}

function fromPath(part: Dependency): Provider<{ program: string }> {
  const version = part.minimum === undefined ? '' : ` ${part.minimum.join('.')} or newer`;
  return { advice: `install ${part.program}${version} on the PATH`, find: async () => ({ program: await programOnPath(part) }) };
}

function fromImage(store: Store, report: Report): Provider<{ image: string }> {
  return {
    advice: `start a container engine, which runs ${store.image}`,
    find: async () => ({ image: await pullImage(store, report) }),
  };
}

function download({ title, download: { from, folder, executable, fetch } }: Dependency, report: Report): Provider<{ program: string }> {
  return {
    advice: `let it be fetched as ${from}`,
    async find() {
      const place = await cached(folder, (draft) => reportDuration(report, title, `fetching ${from} (once)`, () => fetch(draft)));
      return { program: path.join(place, executable) };
    },
  };
}

/** Pulls the store's image into this machine's container engine if missing. Throws without an engine or an image. */
async function pullImage({ title, image }: Store, report: Report): Promise<string> {
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
  const { image: images } = await getContainerRuntimeClient();
  const name = ImageName.fromString(image);
  if (!(await images.exists(name))) await reportDuration(report, title, `fetching the image ${image} (once)`, () => images.pull(name));
  return image;
}
