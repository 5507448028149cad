import { AppError } from '@webkiln/contract';
import { counter, logger } from '@webkiln/runtime';
import { BrowserUnstartable, type Isolation, withBrowser } from './browser-process.ts';
import { captureScreenshot, printToPdf, type Scene, type Screenshot } from './capture-screenshot.ts';
import type { DevTools } from './devtools.ts';

/** Time limits of one screenshot, browser start included: with the page's scripts and without them. */
const timeouts = { withScriptsMs: 15_000, withoutScriptsMs: 30_000 };
const printTimeoutMs = 15_000;
/** The share of the time limit for loading. */
const loadingShare = 1 / 3;

const taken = counter({
  name: 'preview_images_total',
  help: 'Pictures of sites: taken, taken with its scripts off (still), none to be had (failed), or none without a sandbox (refused)',
  labelNames: ['result'],
});

const full = { namespaces: true, sandbox: true };
/** The best isolation first, then what else a system may allow. */
const isolations = {
  required: [full],
  preferred: [full, { namespaces: false, sandbox: true }, { namespaces: true, sandbox: false }, { namespaces: false, sandbox: false }],
} as const satisfies Record<string, readonly Isolation[]>;

interface Options {
  /** `required`: without full isolation no picture is taken. `preferred`: then with what the system allows. */
  readonly sandbox: keyof typeof isolations;
  /** Time limits, for tests. */
  readonly timeouts?: typeof timeouts;
}

interface Attempt {
  readonly scripts: boolean;
  readonly timeoutMs: number;
}

function refuse(err: BrowserUnstartable): undefined {
  logger.error(
    { err },
    'Chromium does not start in its sandbox, so no preview image is taken: allow user namespaces, or set SCREENSHOT_SANDBOX=preferred',
  );
  taken.inc({ result: 'refused' });
}

/** Takes screenshots of pages, and prints them, each in a new browser that is killed afterwards. */
export class Screenshotter {
  readonly #program: string;
  readonly #attempts: readonly Attempt[];
  readonly #stopping = new AbortController();
  readonly #isRequired: boolean;
  /** What the system may allow, best first: those that it does not allow are dropped. */
  readonly #isolations: Isolation[];

  /** `program` is the path of a Chromium. */
  constructor(program: string, { sandbox, timeouts: { withScriptsMs, withoutScriptsMs } = timeouts }: Options) {
    this.#program = program;
    this.#isRequired = sandbox === 'required';
    this.#isolations = [...isolations[sandbox]];
    this.#attempts = [
      { scripts: true, timeoutMs: withScriptsMs },
      { scripts: false, timeoutMs: withoutScriptsMs },
    ];
  }

  /**
   * Captures a page; if that fails, most likely because of endless scripts, the page without its scripts.
   * Undefined if both fail, or if the system does not allow the isolation that is required. Throws `unavailable` if the
   * screenshotter is stopped meanwhile.
   */
  async capture(scene: Pick<Scene, 'url' | 'answer'>): Promise<Screenshot | undefined> {
    for (const { scripts, timeoutMs } of this.#attempts) {
      try {
        const loading = { ...scene, scripts, loadTimeoutMs: timeoutMs * loadingShare };
        const image = await this.#attempt(timeoutMs, (devtools) => captureScreenshot(devtools, loading));
        taken.inc({ result: scripts ? 'taken' : 'still' });
        return image;
      } catch (error) {
        if (this.#stopping.signal.aborted) throw new AppError('unavailable', [], { cause: error });
        if (this.#isRequired && error instanceof BrowserUnstartable) return refuse(error);
        logger.warn({ err: error, url: scene.url, scripts }, 'screenshot failed');
      }
    }
    taken.inc({ result: 'failed' });
    return undefined;
  }

  /** Prints a page of our own, which has no scripts. Throws `unavailable` if that fails. */
  async print(scene: Pick<Scene, 'url' | 'answer'>): Promise<Buffer> {
    const loading = { ...scene, scripts: false, loadTimeoutMs: printTimeoutMs * loadingShare };
    try {
      return await this.#attempt(printTimeoutMs, (devtools) => printToPdf(devtools, loading));
    } catch (error) {
      throw new AppError('unavailable', [], { cause: error });
    }
  }

  /** Kills the running browser. */
  stop(): void {
    this.#stopping.abort();
  }

  async #attempt<T>(timeoutMs: number, work: (devtools: DevTools) => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]);
    const [isolation = full, weaker] = this.#isolations;
    try {
      return await withBrowser({ program: this.#program, isolation, signal }, work);
    } catch (error) {
      if (weaker === undefined || !(error instanceof BrowserUnstartable)) throw error;
      logger.warn(
        { err: error, isolation, weaker },
        'Chromium does not start in this isolation; trying a weaker one, as SCREENSHOT_SANDBOX allows',
      );
      this.#isolations.shift();
      return this.#attempt(timeoutMs, work);
    }
  }
}
