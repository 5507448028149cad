import { mkdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type DataServiceName, type Listener, type ProcessName, processes, type StoreName } from '@webkiln/messages';
import { storeSettings, trustedKeys } from '@webkiln/messages/secrets';
import { mongodbUrlWith } from '@webkiln/store/users';
import { launchService } from '../processes/launch-process.ts';
import { openLog } from '../processes/log-file.ts';
import type { RunContext } from '../processes/run-context.ts';
import { Supervised } from '../processes/supervised.ts';
import { natsUrlOf } from '../stores/nats.ts';
import type { ProcessSpec } from './plan-processes.ts';
import { type Environment, entryOf, portSettings, settingsOf } from './process-table.ts';
import type { Secrets } from './secrets.ts';

const readyTimeoutMs = 120_000;
/**
 * Keeps an idle service small: its threads share one malloc arena, and V8's semi-space is 4 MB instead of 16; an even
 * smaller one is slow. The limit of the old space makes V8 free the memory of large requests early, and malloc gives
 * blocks from 256 KB back to the system as soon as they are freed.
 */
const lowMemoryEnv = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: String(256 * 1024) };
/** For development alone: preview images are taken also where the system does not allow the browser a sandbox. */
const developmentEnv = { SCREENSHOT_SANDBOX: 'preferred' };
export const heapOf = (service: ProcessName) => {
  const row = processes[service];
  const youngMb = 'youngMb' in row ? row.youngMb : 4;
  return [`--max-semi-space-size=${youngMb}`, '--max-old-space-size=256'];
};

/**
 * Settings of single processes, such as their certificates. Called whenever a process starts, with the settings that it
 * has otherwise.
 */
export type EnvOf = (service: ProcessName, settings: Readonly<NodeJS.ProcessEnv>) => NodeJS.ProcessEnv;

interface LaunchSettings {
  readonly secrets: Secrets;
  readonly environment: Environment;
  readonly envOf: EnvOf;
  /** The program to run, by the entry file of the process. */
  readonly programs: ReadonlyMap<string, string>;
  /** See `PlatformOptions`. */
  readonly otherPrograms: ReadonlyMap<string, string>;
}

/** Supervises one process of the plan. */
export async function superviseService(
  { name, service, ports: listeners }: ProcessSpec,
  { secrets, environment, envOf, programs, otherPrograms }: LaunchSettings,
  { dataFolder, ports, env, report, disk, onLaunched }: RunContext,
): Promise<Supervised> {
  const entry = entryOf(service);
  const cwd = path.join(dataFolder, 'processes', name);
  mkdirSync(cwd, { recursive: true });
  const internal = await ports.portFor(`${name}.internal`);
  const settings = {
    ...lowMemoryEnv,
    ...developmentEnv,
    ...env,
    // A secret that the caller keeps in a file is read from there.
    ...Object.fromEntries(settingsOf(service).flatMap((variable) => (env[`${variable}_FILE`] ? [] : [[variable, environment[variable]]]))),
    ...Object.fromEntries(Object.entries(listeners).map(([listener, port]) => [portSettings[listener as Listener], String(port)])),
    INTERNAL_PORT: String(internal),
    PRINCIPAL_SIGNING_KEY: secrets.signing_keys[service],
    ...(service !== 'gateway' && { PRINCIPAL_TRUSTED_KEYS: trustedKeys(secrets, service) }),
    // A program of an earlier release may not know its user.
    ...(!otherPrograms.has(name) && usesOwn('nats', service, env) && { NATS_URL: natsUrlOf(service, environment.NATS_URL) }),
    ...(usesOwn('mongodb', service, env) && {
      MONGODB_URL: mongodbUrlOf(service as DataServiceName, environment.MONGODB_URL, env, secrets),
    }),
  };
  const args = () => [...heapOf(service), otherPrograms.get(name) ?? programs.get(entry) ?? entry];
  const [port = 0] = Object.values(listeners);
  const onLine = serviceLog(path.join(dataFolder, 'logs'), name, { report, disk });
  return new Supervised({
    name,
    launch: async () =>
      launchService({ program: process.execPath, args: args(), cwd, env: { ...settings, ...envOf(service, settings) } }, onLine),
    readyTimeoutMs,
    report,
    onLaunched: (pid) => onLaunched(name, { pid, port, http_port: listeners.http, internal_port: internal }),
  });
}

/** A store that runs elsewhere has users of its own. */
const usesOwn = (store: StoreName, service: ProcessName, env: NodeJS.ProcessEnv) =>
  !env[storeSettings[store]] && !env[`${storeSettings[store]}_FILE`] && (processes[service].stores as readonly StoreName[]).includes(store);

const mongodbUrlOf = (service: DataServiceName, url: string, env: NodeJS.ProcessEnv, { mongodb_passwords }: Secrets) =>
  mongodbUrlWith(url, service, env.MONGODB_PREFIX || 'webkiln', mongodb_passwords);

const loud = /"level":"(warn|error|fatal)"/;

/** Receives a service's output. Writes all lines to its log file, and reports warnings, errors and plain text. */
function serviceLog(folder: string, name: string, { report, disk }: Pick<RunContext, 'report' | 'disk'>): (line: string) => void {
  const log = openLog(folder, name);
  let read = '';
  const write = () => {
    const text = read;
    read = '';
    disk.spare(() => writeSync(log, text));
  };
  return (line) => {
    // Lines that are read together are written together.
    if (read === '') queueMicrotask(write);
    read += `${line}\n`;
    if (!line.startsWith('{')) report(name, line, 'warn');
    else if (loud.test(line)) report(name, ...summary(line));
  };
}

function summary(line: string): [text: string, level: 'warn' | 'error'] {
  try {
    const { level, msg, err } = JSON.parse(line) as { level: string; msg?: string; err?: { message?: string } };
    return [[msg, err?.message].filter(Boolean).join(': '), level === 'warn' ? 'warn' : 'error'];
  } catch {
    return [line, 'warn'];
  }
}
