import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launchServer } from '../processes/launch-process.ts';
import type { Launched, Running } from '../processes/launched.ts';
import { openLog } from '../processes/log-file.ts';
import type { RunContext } from '../processes/run-context.ts';
import { Supervised } from '../processes/supervised.ts';
import type { Supply } from '../supply/supply.ts';
import type { Store } from './dependency.ts';

const pollMs = 25;
const readyTimeoutMs = 60_000; // a database that was killed reads its journal first

/** A store that is in reach, or will be once `supervised` has started. */
interface SuppliedStore {
  readonly url: string;
  readonly supervised?: Supervised;
}

/** Supplies a store in any way. One that we start keeps its data in the folder `<name>` of the data folder. */
export async function superviseStore(store: Store, supply: Supply, context: RunContext): Promise<SuppliedStore> {
  if ('url' in supply) return supply;
  const { dataFolder, ports, report, onLaunched } = context;
  const folder = path.join(dataFolder, store.name);
  mkdirSync(folder, { recursive: true });
  const port = await ports.portFor(store.name);
  const supervised = new Supervised({
    name: store.name,
    launch: () => launch(store, supply, folder, port, path.join(dataFolder, 'logs')),
    readyTimeoutMs,
    report,
    onLaunched: (pid) => onLaunched(store.name, port, pid),
  });
  return { url: store.url(port), supervised };
}

type OwnSupply = Exclude<Supply, { url: string }>;

async function launch(store: Store, supply: OwnSupply, folder: string, port: number, logs: string): Promise<Launched> {
  const contained = 'image' in supply;
  const place = contained ? { folder: '/data', host: '0.0.0.0', port } : { folder, host: '127.0.0.1', port };
  for (const [name, content] of Object.entries(store.files?.(place) ?? {})) writeFileSync(path.join(folder, name), content);
  const output = openLog(logs, store.name);
  const args = store.options(place);
  const running = contained
    ? await launchImage(store.program, args, supply.image, port, folder, output)
    : launchServer({ program: supply.program, args, cwd: folder }, output);
  return { ...running, ready: serving(() => store.check(port), running) };
}

async function launchImage(program: string, args: string[], image: string, port: number, source: string, output: number): Promise<Running> {
  const { launchContainer } = await import('../processes/launch-container.ts'); // heavy, and seldom needed
  return launchContainer({ image, program, args, port, mount: { source, target: '/data' } }, output);
}

/** Resolves at the first check that passes; never when the process ends before. */
async function serving(check: () => Promise<void>, { exit }: Running): Promise<void> {
  let ended = false;
  void exit.then(() => (ended = true));
  while (!ended) {
    try {
      return await check();
    } catch {
      await delay(pollMs);
    }
  }
  return new Promise(() => undefined);
}
