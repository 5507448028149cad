import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { processes, type StoreName } from '@webkiln/messages';
import { killOrphans } from '../processes/orphans.ts';
import { PortRegistry } from '../processes/port-registry.ts';
import type { RunContext } from '../processes/run-context.ts';
import type { Supervised } from '../processes/supervised.ts';
import type { Report } from '../report.ts';
import type { StoreUrls } from '../stores/dependency.ts';
import { superviseStores } from '../stores/supervise-stores.ts';
import { buildDashboard, buildDocsSite } from './build-pages.ts';
import { bundle } from './bundle.ts';
import { DiskSpace } from './disk-space.ts';
import { type PlanOptions, type ProcessPlan, planProcesses } from './plan-processes.ts';
import { type Addresses, entryOf, settingsOf } from './process-table.ts';
import { RunFile, readRun } from './run-file.ts';
import { type Secrets, secretsOf } from './secrets.ts';
import { type EnvOf, superviseService } from './supervise-service.ts';

export interface PlatformOptions extends PlanOptions {
  /** Holds all state; a later start in the same folder continues from it. Absolute, without symbolic links. */
  readonly dataFolder: string;
  /** The public address; by default that of the first gateway. */
  readonly origin?: string;
  /** Stores to run besides those that the services need. */
  readonly stores?: readonly StoreName[];
  readonly envOf?: EnvOf;
  /** Programs to run instead of this commit's, by the process's name; read whenever a process starts. */
  readonly otherPrograms?: ReadonlyMap<string, string>;
  readonly report: Report;
}

export interface RunningPlatform {
  /** One per gateway; the first is the public one. */
  readonly origins: readonly string[];
  /** The parent address of all published sites. */
  readonly sitesOrigin: string;
  readonly addresses: Addresses;
  readonly urls: StoreUrls;
}

/** All processes of Webkiln on this machine, kept running from `start` to `stop`. */
export class Platform {
  readonly secrets: Secrets;
  /** Mail is written to this folder instead of being sent. */
  readonly mailFolder: string;
  /** By name: "mongodb", "identity", "gateway", "gateway-2" and so on. */
  readonly processes = new Map<string, Supervised>();
  readonly #options: PlatformOptions;
  readonly #ports: PortRegistry;
  /** Stores, services, gateways: a group starts when the previous one is ready. */
  readonly #groups: Supervised[][] = [];
  #runFile: RunFile | undefined;
  #disk: DiskSpace | undefined;

  constructor(options: PlatformOptions) {
    this.#options = options;
    this.secrets = secretsOf(options.dataFolder);
    this.mailFolder = path.join(options.dataFolder, 'mail');
    this.#ports = new PortRegistry(options.dataFolder);
  }

  /** Resolves when all processes are ready. Rejects if one does not start; call `stop` in that case too. */
  async start(): Promise<RunningPlatform> {
    const { dataFolder, origin, env, envOf = () => ({}), report, otherPrograms = new Map() } = this.#options;
    this.#keepPrivate();
    await this.#killOrphans();
    const plan = await planProcesses(this.#options, this.#ports);
    const origins = plan.gateways.map(({ ports }) => `http://localhost:${ports.public}`);
    const runFile = new RunFile(dataFolder, origin ?? origins[0] ?? '');
    this.#runFile = runFile;
    const disk = new DiskSpace(dataFolder, report, () => void this.processes.get('nats')?.replace('SIGTERM'));
    this.#disk = disk;
    disk.start();
    const onLaunched: RunContext['onLaunched'] = (name, running) => disk.spare(() => runFile.set(name, running));
    const context = { dataFolder, ports: this.#ports, env, report, disk, onLaunched };
    const specs = [...plan.services, ...plan.gateways];
    const [urls, programs, DASHBOARD_DIR, DOCS_DIR] = await Promise.all([
      this.#startStores(plan, context),
      bundle(specs.map(({ service }) => entryOf(service))),
      env.DASHBOARD_DIR || (plan.gateways.length > 0 ? buildDashboard() : ''),
      env.DOCS_DIR || (specs.some(({ service }) => settingsOf(service).includes('DOCS_DIR')) ? buildDocsSite() : ''),
    ]);
    const environment = {
      ...this.secrets,
      ...plan.addresses,
      ...urls,
      ORIGIN: runFile.origin,
      SITES_ORIGIN: env.SITES_ORIGIN || originOf('sites', plan),
      PREVIEW_ORIGIN: env.PREVIEW_ORIGIN || originOf('preview', plan),
      DASHBOARD_DIR,
      DOCS_DIR,
      MAIL_DIR: this.mailFolder,
    };
    const settings = { secrets: this.secrets, environment, envOf, programs, otherPrograms };
    for (const group of [plan.services, plan.gateways]) {
      await this.#startAll(await Promise.all(group.map((spec) => superviseService(spec, settings, context))));
    }
    return { origins, sitesOrigin: environment.SITES_ORIGIN, addresses: plan.addresses, urls };
  }

  /** Stops gateways first and stores last, so that no process loses a dependency that it still needs. */
  async stop(): Promise<void> {
    this.#disk?.stop();
    for (const group of this.#groups.splice(0).reverse()) await Promise.all(group.map((process) => process.stop()));
    this.#ports.release();
    this.#runFile?.remove();
  }

  /** Kills all processes at once: for a platform whose data folder nobody needs any more. */
  async kill(): Promise<void> {
    await Promise.all([...this.processes.values()].map((process) => process.stop('SIGKILL')));
    await this.stop();
  }

  /** Logs and mails name people, and mails have links to sign in by. */
  #keepPrivate(): void {
    for (const folder of [path.join(this.#options.dataFolder, 'logs'), this.mailFolder]) {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o700);
    }
  }

  async #killOrphans(): Promise<void> {
    const { dataFolder, report } = this.#options;
    const left = Object.values(readRun(dataFolder)?.services ?? {}).flatMap(({ pid }) => pid ?? []);
    const ended = await killOrphans(left, dataFolder);
    if (ended.length > 0) report('webkiln', `ended what a killed run had left behind: ${ended.join(', ')}`);
  }

  async #startStores({ services, gateways }: ProcessPlan, context: RunContext): Promise<StoreUrls> {
    const needed = new Set<StoreName>([
      ...(this.#options.stores ?? []),
      ...[...services, ...gateways].flatMap(({ service }) => processes[service].stores),
    ]);
    const { urls, supervised } = await superviseStores(needed, this.secrets, context);
    await this.#startAll(supervised);
    return urls;
  }

  async #startAll(group: Supervised[]): Promise<void> {
    this.#groups.push(group);
    for (const process of group) this.processes.set(process.name, process);
    await Promise.all(group.map((process) => process.start()));
  }
}

/** An address on the public port. Browsers resolve `*.localhost` to this machine without DNS (RFC 6761 §6.3). */
const originOf = (label: 'sites' | 'preview', { gateways: [first] }: ProcessPlan) =>
  `http://${label}.localhost:${first?.ports.public ?? 80}`;
