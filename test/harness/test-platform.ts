import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Platform, type PlatformOptions, type RunningPlatform } from '@webkiln/dev-platform';
import { Balancer } from './balancer.ts';

/** Addresses and secrets of a platform, as plain data that can be passed to jest workers. */
export interface PlatformFacts {
  /** The public one first; behind a balancer, those of the gateways follow. */
  readonly origins: readonly string[];
  /** The origin below which every published site has its host. */
  readonly sitesOrigin: string;
  readonly addresses: RunningPlatform['addresses'];
  readonly urls: RunningPlatform['urls'];
  readonly operatorKey: string;
  readonly mailFolder: string;
  /** The address of this machine at which the platform reaches webhook receivers; by default 127.0.0.1. */
  readonly receiverHost?: string;
}

export interface TestPlatformOptions {
  /** Number of gateways; 1 by default. */
  readonly gateways?: number;
  /** Number of processes of each other service; 1 by default. */
  readonly replicas?: number;
  /** One address in front of all gateways. */
  readonly balanced?: boolean;
  /** Settings of all processes, such as RATE_LIMIT. */
  readonly env?: NodeJS.ProcessEnv;
  /** Settings of single processes. */
  readonly envOf?: PlatformOptions['envOf'];
  /** Starts MongoDB, NATS and Redis alone. */
  readonly storesOnly?: boolean;
  /** Programs of another release, by the process that runs them; a change applies when the process starts again. */
  readonly otherPrograms?: ReadonlyMap<string, string>;
}

/** A running platform with its own stores, in a temporary folder that is removed with it. */
export class TestPlatform {
  readonly facts: PlatformFacts;
  readonly platform: Platform;
  /** The folder with its state. */
  readonly folder: string;
  readonly #balancer: Balancer | undefined;

  constructor(platform: Platform, facts: PlatformFacts, folder: string, balancer?: Balancer) {
    this.platform = platform;
    this.facts = facts;
    this.folder = folder;
    this.#balancer = balancer;
  }

  /** Ends a process ("identity", "gateway-2", "nats" …) with a signal; resolves when its replacement is ready. */
  replace(name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#process(name).replace(signal);
  }

  /** Sends a signal, such as SIGSTOP or SIGCONT, to a process. */
  signal(name: string, signal: NodeJS.Signals): void {
    this.#process(name).signal(signal);
  }

  /** Ends a process until `startProcess` is called. */
  async stopProcess(name: string): Promise<void> {
    await this.#process(name).stop();
  }

  /** Starts a process that `stopProcess` has ended. */
  async startProcess(name: string): Promise<void> {
    await this.#process(name).start();
  }

  /** True if the readiness check of a process passes; false also if it does not respond. */
  async isReady(name: string): Promise<boolean> {
    try {
      return (await this.fetchInternal(name, '/readyz')).ok;
    } catch {
      return false;
    }
  }

  /** Sums the metric lines of a process that match, over all labels. */
  async counterSum(name: string, metric: RegExp): Promise<number> {
    const lines = (await (await this.fetchInternal(name, '/metrics')).text()).split('\n');
    return lines.filter((line) => metric.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  /** The process id, undefined while the process is stopped. */
  pid(name: string): number | undefined {
    return this.#process(name).pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.platform.kill();
    await this.#balancer?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Sends a GET request to the internal port of a process. */
  fetchInternal(name: string, route: string): Promise<Response> {
    const ports = JSON.parse(readFileSync(path.join(this.folder, 'ports.json'), 'utf8'));
    return fetch(`http://127.0.0.1:${ports[`${name}.internal`]}${route}`);
  }

  #process(name: string) {
    const process = this.platform.processes.get(name);
    if (process === undefined) throw new Error(`no process is called ${name}`);
    return process;
  }
}

/** Test organizations are all new, and some cause more mails than a new one may. Tests of that limit set their own. */
const manyMails = { QUOTA_MAILS: '1000000', QUOTA_MAILS_NEW: '1000000' };

/** Starts a platform. The output of its processes is shown only if the start fails. */
export async function startPlatform({
  gateways = 1,
  replicas = 1,
  balanced = false,
  env = {},
  envOf,
  storesOnly = false,
  otherPrograms = new Map(),
}: TestPlatformOptions = {}): Promise<TestPlatform> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'webkiln-test-')));
  const output: string[] = [];
  // Without these settings it starts its own stores, and takes no preview images of the hundreds of published sites.
  const { MONGODB_URL: _mongodb, NATS_URL: _nats, REDIS_URL: _redis, CHROMIUM_PATH: _chromium, ...environment } = process.env;
  const balancer = balanced ? await Balancer.start() : undefined;
  const platform = new Platform({
    dataFolder: folder,
    origin: balancer?.originOf('localhost'),
    gateways,
    replicas,
    otherPrograms,
    ...(storesOnly && { services: [], stores: ['mongodb', 'nats', 'redis'] }),
    env: { ...environment, NODE_ENV: 'production', ...manyMails, ...balancer?.siteOrigins, ...env },
    envOf,
    report: (name, text) => output.push(`${name}: ${text}`),
  });
  try {
    const running = await platform.start();
    balancer?.spreadOver(running.origins);
    const origins = [...(balancer === undefined ? [] : [balancer.originOf('localhost')]), ...running.origins];
    const facts = { ...running, origins, operatorKey: platform.secrets.OPERATOR_SIGNING_KEY, mailFolder: platform.mailFolder };
    return new TestPlatform(platform, facts, folder, balancer);
  } catch (error) {
    await platform.stop();
    await balancer?.[Symbol.asyncDispose]();
    throw new Error(`the platform did not start\n${output.join('\n')}`, { cause: error });
  }
}
