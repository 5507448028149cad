import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { StoreName } from '@webkiln/messages';
import { retry } from '@webkiln/runtime';
import { launchServer } from '../processes/launch-process.ts';
import type { Launched, Running } from '../processes/launched.ts';
import { openLog } from '../processes/log-file.ts';
import type { RunContext } from '../processes/run-context.ts';
import { Supervised } from '../processes/supervised.ts';
import { type Supply, supplyStores } from '../supply/supply.ts';
import type { Place, Store, StoreSecrets, StoreUrls } from './dependency.ts';
import { mongodb } from './mongodb.ts';
import { nats } from './nats.ts';
import { redis } from './redis.ts';

const pollMs = 25;
const readyTimeoutMs = 60_000; // after a kill a database first recovers from its journal

interface SuppliedStores {
  readonly urls: StoreUrls;
  /** The stores that we run ourselves, not yet started. */
  readonly supervised: Supervised[];
}

/** Supplies the named stores. Those that we run keep their data in the folder `<name>` of the data folder. */
export async function superviseStores(names: ReadonlySet<StoreName>, secrets: StoreSecrets, context: RunContext): Promise<SuppliedStores> {
  const urls: StoreUrls = { MONGODB_URL: '', NATS_URL: '', REDIS_URL: '' };
  const stores = [mongodb, nats, redis].filter(({ name }) => names.has(name));
  const supplies = await supplyStores(stores, context.env, context.report);
  const supervised = supplies.map(async ([store, supply]) => {
    const { url, supervised = [] } = await superviseStore(store, supply, secrets, context);
    urls[store.urlVariable] = url;
    return supervised;
  });
  return { urls, supervised: (await Promise.all(supervised)).flat() };
}

async function superviseStore(
  store: Store,
  supply: Supply,
  secrets: StoreSecrets,
  context: RunContext,
): Promise<{ url: string; supervised?: Supervised }> {
  if ('url' in supply) return supply;
  const { dataFolder, ports, env, report, onLaunched } = context;
  const folder = path.join(dataFolder, store.name);
  mkdirSync(folder, { recursive: true });
  const port = await ports.portFor(store.name);
  const prefixes = { eventsPrefix: env.EVENTS_PREFIX ?? '', mongodbPrefix: env.MONGODB_PREFIX || 'webkiln' };
  const supervised = new Supervised({
    name: store.name,
    launch: () => launch(store, supply, { folder, port, ...prefixes, secrets }, path.join(dataFolder, 'logs')),
    readyTimeoutMs,
    report,
    onLaunched: (pid) => onLaunched(store.name, { pid, port }),
  });
  return { url: store.url(port, secrets), supervised };
}

type OwnSupply = Exclude<Supply, { url: string }>;

async function launch(store: Store, supply: OwnSupply, own: Omit<Place, 'host'>, logs: string): Promise<Launched> {
  const { folder, port } = own;
  const contained = 'image' in supply;
  const place = contained ? { ...own, folder: '/data', host: '0.0.0.0' } : { ...own, host: '127.0.0.1' };
  for (const [name, content] of Object.entries(store.files?.(place) ?? {})) writeChanged(path.join(folder, name), content);
  const output = openLog(logs, store.name);
  const args = store.options(place);
  const running = contained
    ? await launchImage(store.program, args, supply.image, port, folder, output)
    : launchServer({ program: supply.program, args, cwd: folder }, output);
  return { ...running, ready: serving(() => store.check(place), running) };
}

/** On a full disk a write would leave an empty file. */
function writeChanged(file: string, content: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== content) writeFileSync(file, content, { mode: 0o600 });
}

async function launchImage(program: string, args: string[], image: string, port: number, source: string, output: number): Promise<Running> {
  const { launchContainer } = await import('../processes/launch-container.ts'); // slow to load, and rarely needed
  return launchContainer({ image, program, args, port, mount: { source, target: '/data' } }, output);
}

/** Resolves at the first check that passes. Never resolves if the process ends before that. */
async function serving(check: () => Promise<void>, { exit }: Running): Promise<void> {
  const ended = new AbortController();
  void exit.then(() => ended.abort());
  await retry(check, { delayMs: pollMs, signal: ended.signal }).catch(() => new Promise(() => undefined));
}
