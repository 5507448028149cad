import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Platform, RunningPlatform } from '@webkiln/dev-platform';
import type { Balancer } from './balancer.ts';
import { launchPlatform, type TestPlatformOptions } from './launch-platform.ts';
import { showOnFailure } from './platform-state.ts';

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
  /** Its state, its logs among it; unknown of a platform on other machines. */
  readonly folder?: string;
  /** The Stripe that it charges cards at; it charges none without. */
  readonly stripeUrl?: string;
  /** The address of this machine at which the platform reaches webhook receivers; by default 127.0.0.1. */
  readonly receiverHost?: string;
}

/** A running platform with its own stores, in a temporary folder that is removed with it. */
export class TestPlatform {
  readonly facts: PlatformFacts;
  readonly platform: Platform;
  /** The folder with its state. */
  readonly folder: string;
  readonly #balancer: Balancer | undefined;
  readonly #endShowing: () => void;

  constructor({ platform, facts, folder, balancer }: Awaited<ReturnType<typeof launchPlatform>>) {
    this.platform = platform;
    this.facts = facts;
    this.folder = folder;
    this.#balancer = balancer;
    this.#endShowing = showOnFailure(folder);
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
  async stopProcess(name: string, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await this.#process(name).stop(signal);
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

  /** The last lines that a process has logged, over restarts. */
  lastLines(name: string, count = 20): string[] {
    const text = readFileSync(path.join(this.folder, 'logs', `${name}.log`), 'utf8');
    return text.trimEnd().split('\n').slice(-count);
  }

  /** The process id, undefined while the process is stopped. */
  pid(name: string): number | undefined {
    return this.#process(name).pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#endShowing();
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

/** Starts a platform; `await using` ends it. */
export async function startPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  return new TestPlatform(await launchPlatform(options));
}
