import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Platform, type RunningPlatform } from '@webkiln/infra';

/** What a test needs to know of a platform, as plain data: it crosses into jest's workers. */
export interface PlatformFacts {
  readonly origins: readonly string[];
  /** The address above all published sites. */
  readonly sitesOrigin: string;
  readonly addresses: RunningPlatform['addresses'];
  readonly urls: RunningPlatform['urls'];
  readonly operatorKey: string;
  readonly mailFolder: string;
}

export interface TestPlatformOptions {
  readonly gateways?: number;
  /** Processes of each other service. */
  readonly replicas?: number;
  /** Settings of the processes, such as RATE_LIMIT. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A whole platform of its own, stores included, in a folder that goes with it. */
export class TestPlatform {
  readonly facts: PlatformFacts;
  readonly platform: Platform;
  /** Where it keeps its state. */
  readonly folder: string;

  constructor(platform: Platform, facts: PlatformFacts, folder: string) {
    this.platform = platform;
    this.facts = facts;
    this.folder = folder;
  }

  /** Ends a process ("identity", "gateway-2", "nats" …) with a signal; resolves when its successor serves. */
  replace(name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#process(name).replace(signal);
  }

  /** Sends a signal, as SIGSTOP and SIGCONT. */
  signal(name: string, signal: NodeJS.Signals): void {
    this.#process(name).signal(signal);
  }

  /** Ends a process for as long as `start` is not called. */
  async stopProcess(name: string): Promise<void> {
    await this.#process(name).stop();
  }

  async startProcess(name: string): Promise<void> {
    await this.#process(name).start();
  }

  /** What a process tells load balancers; false while it does not answer. */
  async isReady(name: string): Promise<boolean> {
    try {
      return (await this.ask(name, '/readyz')).ok;
    } catch {
      return false;
    }
  }

  /** A counter of a process, of all its labels that match, summed. */
  async counted(name: string, metric: RegExp): Promise<number> {
    const lines = (await (await this.ask(name, '/metrics')).text()).split('\n');
    return lines.filter((line) => metric.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  pid(name: string): number | undefined {
    return this.#process(name).pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.platform.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Asks a process on its internal port. */
  ask(name: string, route: string): Promise<Response> {
    const ports = JSON.parse(readFileSync(path.join(this.folder, 'ports.json'), 'utf8'));
    return fetch(`http://127.0.0.1:${ports[`${name}.internal`]}${route}`);
  }

  #process(name: string) {
    const process = this.platform.processes.get(name);
    if (process === undefined) throw new Error(`no process is called ${name}`);
    return process;
  }
}

/** Starts a platform; what its processes say is shown only when it does not come up. */
export async function startPlatform({ gateways = 1, replicas = 1, env = {} }: TestPlatformOptions = {}): Promise<TestPlatform> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'webkiln-test-')));
  const said: string[] = [];
  // Stores of its own, and no pictures of the sites that tests publish by the hundred.
  const { MONGODB_URL: _mongodb, NATS_URL: _nats, REDIS_URL: _redis, CHROMIUM_PATH: _chromium, ...surroundings } = process.env;
  const platform = new Platform({
    dataFolder: folder,
    gateways,
    replicas,
    env: { ...surroundings, NODE_ENV: 'production', ...env },
    report: (name, text) => said.push(`${name}: ${text}`),
  });
  try {
    const running = await platform.start();
    const facts = { ...running, operatorKey: platform.secrets.OPERATOR_SIGNING_KEY, mailFolder: platform.mailFolder };
    return new TestPlatform(platform, facts, folder);
  } catch (error) {
    await platform.stop();
    throw new Error(`the platform did not come up\n${said.join('\n')}`, { cause: error });
  }
}
