import { AppError } from '@webkiln/contract';
import { counter, logger } from '@webkiln/runtime';
import { BrowserUnstartable, withBrowser } from './browser-process.ts';
import { captureScreenshot, type Scene } from './capture-screenshot.ts';

/** Time limits of one screenshot, browser start included: with the page's scripts and without them. */
const timeouts = { withScriptsMs: 15_000, withoutScriptsMs: 30_000 };
/** The share of the time limit for loading. */
const loadingShare = 1 / 3;

const taken = counter({
  name: 'preview_images_total',
  help: 'Pictures of sites: taken, taken with its scripts off (still), or none to be had (failed)',
  labelNames: ['result'],
});

interface Attempt {
  readonly scripts: boolean;
  readonly timeoutMs: number;
}

/** Takes screenshots of pages, each in a new browser that is killed afterwards. */
export class Screenshotter {
  readonly #program: string;
  readonly #attempts: readonly Attempt[];
  readonly #stopping = new AbortController();
  /** Chromium's sandbox, if the system allows it; never as root. */
  #sandbox = process.getuid?.() !== 0;

  /** `program` is the path of a Chromium. */
  constructor(program: string, { withScriptsMs, withoutScriptsMs } = timeouts) {
    this.#program = program;
    this.#attempts = [
      { scripts: true, timeoutMs: withScriptsMs },
      { scripts: false, timeoutMs: withoutScriptsMs },
    ];
  }

  /**
   * Captures a page as PNG; if that fails, most likely because of endless scripts, the page without its scripts.
   * Undefined if both fail. Throws `unavailable` if the screenshotter is stopped meanwhile.
   */
  async capture(scene: Pick<Scene, 'url' | 'answer'>): Promise<Buffer | undefined> {
    for (const { scripts, timeoutMs } of this.#attempts) {
      try {
        const image = await this.#attempt({ ...scene, scripts, loadTimeoutMs: timeoutMs * loadingShare }, timeoutMs);
        taken.inc({ result: scripts ? 'taken' : 'still' });
        return image;
      } catch (error) {
        if (this.#stopping.signal.aborted) throw new AppError('unavailable', [], { cause: error });
        logger.warn({ err: error, url: scene.url, scripts }, 'screenshot failed');
      }
    }
    taken.inc({ result: 'failed' });
    return undefined;
  }

  /** Kills the running browser. */
  stop(): void {
    this.#stopping.abort();
  }

  async #attempt(scene: Scene, timeoutMs: number): Promise<Buffer> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]);
    const browser = { program: this.#program, sandbox: this.#sandbox, signal };
    try {
      return await withBrowser(browser, (devtools) => captureScreenshot(devtools, scene));
    } catch (error) {
      if (!this.#sandbox || !(error instanceof BrowserUnstartable)) throw error;
      logger.warn({ err: error }, 'Chromium cannot use its sandbox on this system; screenshots run without it');
      this.#sandbox = false;
      return this.#attempt(scene, timeoutMs);
    }
  }
}
