import path from 'node:path';
import { endLeftovers } from '../processes/leftovers.ts';
import { PortBook } from '../processes/ports.ts';
import type { Premises } from '../processes/premises.ts';
import type { Supervised } from '../processes/supervised.ts';
import type { Report } from '../report.ts';
import { mongodb } from '../stores/mongodb.ts';
import { nats } from '../stores/nats.ts';
import { redis } from '../stores/redis.ts';
import type { StoreUrls } from '../stores/store.ts';
import { superviseStore } from '../stores/supervise-store.ts';
import { supplyStores } from '../supply/supply.ts';
import { buildDashboard } from './build-dashboard.ts';
import { bundle } from './bundle.ts';
import { drawUpRoster, type Roster } from './roster.ts';
import { RunFile, readRun } from './run-file.ts';
import { type Secrets, secretsOf, trustedKeys } from './secrets.ts';
import { type Addresses, type ServiceName, serviceTable } from './service-table.ts';
import { superviseService } from './supervise-service.ts';

export interface PlatformOptions {
  /** Holds all state: a platform that is started in it again goes on with that. Absolute, without symbolic links. */
  readonly dataFolder: string;
  /** The first gateway's; without it any from 20000 to 29999, as for every other listener. */
  readonly port?: number;
  /** The public address; without it that of the first gateway. */
  readonly origin?: string;
  readonly gateways?: number;
  /** Processes of each other service. */
  readonly replicas?: number;
  /** Which services run; without it all. */
  readonly services?: readonly ServiceName[];
  /** Settings of the processes, and where stores and services are that run elsewhere. */
  readonly env: NodeJS.ProcessEnv;
  readonly report: Report;
}

/** A platform that serves. */
export interface RunningPlatform {
  /** Of each gateway; the first is the public one. */
  readonly origins: readonly string[];
  /** The address above all published sites. */
  readonly sitesOrigin: string;
  readonly addresses: Addresses;
  readonly urls: StoreUrls;
}

/** Every process of Webkiln on this machine, kept up from `start` to `stop`. */
export class Platform {
  readonly secrets: Secrets;
  /** Where mails land. */
  readonly mailFolder: string;
  /** By name: "mongodb", "identity", "gateway", "gateway-2" and so on. */
  readonly processes = new Map<string, Supervised>();
  readonly #options: PlatformOptions;
  readonly #ports: PortBook;
  /** Stores, services, gateways: each kind starts at once, when the one before serves. */
  readonly #kinds: Supervised[][] = [];
  #runFile: RunFile | undefined;

  constructor(options: PlatformOptions) {
    this.#options = options;
    this.secrets = secretsOf(options.dataFolder);
    this.mailFolder = path.join(options.dataFolder, 'mail');
    this.#ports = new PortBook(options.dataFolder);
  }

  /** Resolves when everything serves. Rejects when something does not come up; `stop` is to be called then, too. */
  async start(): Promise<RunningPlatform> {
    const { dataFolder, origin, env, report } = this.#options;
    await this.#endLeftovers();
    const roster = await drawUpRoster(this.#options, this.#ports);
    const origins = roster.gateways.map(({ ports }) => `http://localhost:${ports.PORT}`);
    const runFile = new RunFile(dataFolder, origin ?? origins[0] ?? '');
    this.#runFile = runFile;
    const premises = { dataFolder, ports: this.#ports, env, report, onLaunched: runFile.set.bind(runFile) };
    const rostered = [...roster.services, ...roster.gateways];
    const [urls, programs, DASHBOARD_DIR] = await Promise.all([
      this.#startStores(roster, premises),
      bundle(rostered.map(({ service }) => serviceTable[service].entry)),
      env.DASHBOARD_DIR || buildDashboard(),
    ]);
    const surroundings = {
      ...this.secrets,
      ...roster.addresses,
      ...urls,
      ORIGIN: runFile.origin,
      SITES_ORIGIN: env.SITES_ORIGIN || originOf('sites', roster),
      PREVIEW_ORIGIN: env.PREVIEW_ORIGIN || originOf('preview', roster),
      DASHBOARD_DIR,
      MAIL_DIR: this.mailFolder,
      PRINCIPAL_TRUSTED_KEYS: trustedKeys(this.secrets),
    };
    const knowledge = { secrets: this.secrets, surroundings, programs };
    for (const kind of [roster.services, roster.gateways]) {
      await this.#startAll(await Promise.all(kind.map((rostered) => superviseService(rostered, knowledge, premises))));
    }
    return { origins, sitesOrigin: surroundings.SITES_ORIGIN, addresses: roster.addresses, urls };
  }

  /** Gateways first, stores last: nobody loses what it still needs. */
  async stop(): Promise<void> {
    for (const kind of this.#kinds.splice(0).reverse()) await Promise.all(kind.map((process) => process.stop()));
    this.#ports.release();
    this.#runFile?.remove();
  }

  async #endLeftovers(): Promise<void> {
    const { dataFolder, report } = this.#options;
    const left = Object.values(readRun(dataFolder)?.services ?? {}).flatMap(({ pid }) => pid ?? []);
    const ended = await endLeftovers(left, dataFolder);
    if (ended.length > 0) report('webkiln', `ended what a killed run had left behind: ${ended.join(', ')}`);
  }

  async #startStores({ services, gateways }: Roster, premises: Premises): Promise<StoreUrls> {
    const urls: StoreUrls = { MONGODB_URL: '', NATS_URL: '', REDIS_URL: '' };
    const needed = new Set([...services, ...gateways].flatMap(({ service }) => serviceTable[service].needs));
    const stores = [mongodb, nats, redis].filter(({ urlVariable }) => needed.has(urlVariable));
    const supplied = await supplyStores(stores, premises.env, premises.report);
    const own = supplied.map(async ([store, supply]) => {
      const { url, supervised } = await superviseStore(store, supply, premises);
      urls[store.urlVariable] = url;
      return supervised ?? [];
    });
    await this.#startAll((await Promise.all(own)).flat());
    return urls;
  }

  async #startAll(kind: Supervised[]): Promise<void> {
    this.#kinds.push(kind);
    for (const process of kind) this.processes.set(process.name, process);
    await Promise.all(kind.map((process) => process.start()));
  }
}

/** On the public port, below a name that browsers lead to this machine by themselves (RFC 6761 §6.3). */
const originOf = (label: 'sites' | 'preview', { gateways: [first] }: Roster) => `http://${label}.localhost:${first?.ports.PORT ?? 80}`;
