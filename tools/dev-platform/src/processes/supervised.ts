import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from '../report.ts';
import { describe, type Exit, type Launched } from './launched.ts';

const minDelayMs = 100;
const maxDelayMs = 2000;
/** One that ran this long before it ended is started again as if for the first time. */
const stableAfterMs = 10_000;
const stopTimeoutMs = 15_000;

interface Options {
  readonly name: string;
  launch(): Promise<Launched>;
  readonly readyTimeoutMs: number;
  readonly report: Report;
  /** Called with the process id each time it was started. */
  onLaunched(pid: number | undefined): void;
}

/** Keeps one process up: one that ends without being told to is named in the report and started again. */
export class Supervised {
  readonly #options: Options;
  #launched: Launched | undefined;
  #stopping = new AbortController();
  #watch: Promise<void> = Promise.resolve();
  #serves = false;
  #up = Promise.withResolvers<void>();

  constructor(options: Options) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get pid(): number | undefined {
    return this.#launched?.pid;
  }

  /** Resolves when it serves; rejects when it ends before that, because a first start that fails would fail again. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    const launched = await this.#launch();
    const exit = await this.#served(launched);
    if (exit !== undefined) throw new Error(`${this.name} ended before it was ready (${describe(exit)})`);
    this.#watch = this.#keepUp();
  }

  signal(signal: NodeJS.Signals): void {
    this.#launched?.signal(signal);
  }

  /** Ends it with `signal` and resolves when its successor serves. */
  replace(signal: NodeJS.Signals): Promise<void> {
    this.#down();
    this.signal(signal);
    return this.#up.promise;
  }

  /** Asks it to end, insists after 15 s, and resolves when it is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#down();
    const insist = setTimeout(() => this.signal('SIGKILL'), stopTimeoutMs);
    this.signal('SIGTERM');
    this.signal('SIGCONT'); // a paused process hears nothing else
    await this.#launched?.exit;
    await this.#watch;
    clearTimeout(insist);
  }

  #down(): void {
    if (this.#serves) this.#up = Promise.withResolvers();
    this.#serves = false;
  }

  async #launch(): Promise<Launched> {
    const launched = await this.#options.launch();
    this.#launched = launched;
    this.#options.onLaunched(launched.pid);
    if (this.#stopping.signal.aborted) launched.signal('SIGTERM');
    return launched;
  }

  /** Undefined once it serves, else how it ended. */
  async #served({ ready, exit, signal }: Launched): Promise<Exit | undefined> {
    const { name, report, readyTimeoutMs } = this.#options;
    const tooLate = setTimeout(() => {
      report(name, `is not ready after ${readyTimeoutMs / 1000} s`, 'error');
      signal('SIGKILL');
    }, readyTimeoutMs);
    const ended = await Promise.race([ready.then(() => undefined), exit]);
    clearTimeout(tooLate);
    if (ended !== undefined) return ended;
    report(name, 'ready');
    this.#serves = true;
    this.#up.resolve();
  }

  async #keepUp(): Promise<void> {
    const { name, report } = this.#options;
    const { signal } = this.#stopping;
    let since = performance.now();
    let pauseMs = minDelayMs;
    for (;;) {
      const exit = await this.#launched?.exit;
      if (signal.aborted || exit === undefined) return;
      this.#down();
      report(name, `ended unexpectedly (${describe(exit)}), starting it again`, 'error');
      if (performance.now() - since > stableAfterMs) pauseMs = minDelayMs;
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, maxDelayMs);
      since = performance.now();
      try {
        await this.#served(await this.#launch());
      } catch (error) {
        report(name, error instanceof Error ? error.message : String(error), 'error');
      }
    }
  }
}
