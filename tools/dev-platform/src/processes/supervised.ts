import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from '../report.ts';
import { describe, type Exit, type Launched } from './launched.ts';

const minDelayMs = 100;
const maxDelayMs = 2000;
/** After a run of this length the restart delay is reset. */
const stableAfterMs = 10_000;
const stopTimeoutMs = 15_000;

interface Options {
  readonly name: string;
  launch(): Promise<Launched>;
  readonly readyTimeoutMs: number;
  readonly report: Report;
  /** Called with the process id after each start. */
  onLaunched(pid: number | undefined): void;
}

/** Keeps one process running: reports an unexpected end and starts the process again. */
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

  /** Resolves when it is ready. Rejects if it ends before that: a first start that fails would fail again. */
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

  /** Ends it with `signal` and resolves when its successor is ready. */
  replace(signal: NodeJS.Signals): Promise<void> {
    this.#down();
    this.signal(signal);
    return this.#up.promise;
  }

  /** Sends `signal`, and SIGKILL after 15 s. Resolves when the process has ended. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#stopping.abort();
    this.#down();
    const killTimer = setTimeout(() => this.signal('SIGKILL'), stopTimeoutMs);
    this.signal(signal);
    this.signal('SIGCONT'); // a paused process handles SIGTERM only after this
    await this.#launched?.exit;
    await this.#watch;
    clearTimeout(killTimer);
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

  /** Returns undefined once it is ready, or how it ended before that. */
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
      const restarted = this.#launch().then((launched) => this.#served(launched));
      await restarted.catch((error: unknown) => report(name, error instanceof Error ? error.message : String(error), 'error'));
    }
  }
}
