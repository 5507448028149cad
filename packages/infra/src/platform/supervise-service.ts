import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { launchService } from '../processes/launch-process.ts';
import type { Premises } from '../processes/premises.ts';
import { Supervised } from '../processes/supervised.ts';
import type { Rostered } from './roster.ts';
import type { Secrets } from './secrets.ts';
import { serviceLog } from './service-log.ts';
import { type Service, type Surroundings, serviceTable } from './service-table.ts';

const readyWithinMs = 120_000;
/**
 * An idle service stays small: its threads share an arena of the C library, and V8 holds 4 MB of young objects, not 16; less than that costs much speed.
 * A bound on old objects has V8 collect the garbage of large requests soon, where a big machine's memory would have it wait.
 */
const thriftyEnv = { MALLOC_ARENA_MAX: '1' };
const heapOf = ({ youngMb = 4 }: Service) => [`--max-semi-space-size=${youngMb}`, '--max-old-space-size=256'];

interface Knowledge {
  readonly secrets: Secrets;
  readonly surroundings: Surroundings;
  /** What to run for each entry of the service table. */
  readonly programs: ReadonlyMap<string, string>;
}

/** One process of a service, as the roster has it. */
export async function superviseService(
  { name, service, ports: listeners }: Rostered,
  { secrets, surroundings, programs }: Knowledge,
  { dataFolder, ports, env, report, onLaunched }: Premises,
): Promise<Supervised> {
  const row = serviceTable[service];
  const { entry, needs } = row;
  const cwd = path.join(dataFolder, 'processes', name);
  mkdirSync(cwd, { recursive: true });
  const settings = {
    ...thriftyEnv,
    ...env,
    ...Object.fromEntries(needs.map((variable) => [variable, surroundings[variable]])),
    ...Object.fromEntries(Object.entries(listeners).map(([listener, port]) => [listener, String(port)])),
    INTERNAL_PORT: String(await ports.portFor(`${name}.internal`)),
    PRINCIPAL_SIGNING_KEY: secrets.signing_keys[service],
  };
  const command = { program: process.execPath, args: [...heapOf(row), programs.get(entry) ?? entry], cwd, env: settings };
  const [shown = 0] = Object.values(listeners);
  const onLine = serviceLog(path.join(dataFolder, 'logs'), name, report);
  return new Supervised({
    name,
    launch: async () => launchService(command, onLine),
    readyWithinMs,
    report,
    onLaunched: (pid) => onLaunched(name, shown, pid),
  });
}
