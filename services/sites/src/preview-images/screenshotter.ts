import { AppError } from '@webkiln/contract';
import { counter, logger } from '@webkiln/runtime';
import { BrowserUnstartable, withBrowser } from './browser-process.ts';
import { photograph, type Scene } from './photograph.ts';

/** How long a picture may take, start of the browser included: of a page with its scripts, and of one without them. */
const patience = { livelyMs: 15_000, stillMs: 30_000 };
/** The part of it that is for loading. */
const loadingShare = 1 / 3;

const taken = counter({
  name: 'preview_images_total',
  help: 'Pictures of sites: taken, taken with its scripts off (still), or none to be had (failed)',
  labelNames: ['result'],
});

interface Attempt {
  readonly scripts: boolean;
  readonly withinMs: number;
}

/** Takes pictures of pages, each in a browser of its own that is gone afterwards. */
export class Photographer {
  readonly #program: string;
  readonly #attempts: readonly Attempt[];
  readonly #stopping = new AbortController();
  /** Chromium shuts its processes in where the system lets it, and never for root. */
  #sandbox = process.getuid?.() !== 0;

  /** `program` is a Chromium. */
  constructor(program: string, { livelyMs, stillMs } = patience) {
    this.#program = program;
    this.#attempts = [
      { scripts: true, withinMs: livelyMs },
      { scripts: false, withinMs: stillMs },
    ];
  }

  /**
   * A PNG of a page; where that fails, by scripts without an end most likely, of the page without its scripts. Undefined where that fails, too.
   * Throws `unavailable` when the photographer stops meanwhile.
   */
  async take(scene: Pick<Scene, 'url' | 'answer'>): Promise<Buffer | undefined> {
    for (const { scripts, withinMs } of this.#attempts) {
      try {
        const image = await this.#attempt({ ...scene, scripts, loadedWithinMs: withinMs * loadingShare }, withinMs);
        taken.inc({ result: scripts ? 'taken' : 'still' });
        return image;
      } catch (error) {
        if (this.#stopping.signal.aborted) throw new AppError('unavailable', [], { cause: error });
        logger.warn({ err: error, url: scene.url, scripts }, 'a page could not be photographed');
      }
    }
    taken.inc({ result: 'failed' });
    return undefined;
  }

  /** Ends what is under way at once. */
  stop(): void {
    this.#stopping.abort();
  }

  async #attempt(scene: Scene, withinMs: number): Promise<Buffer> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(withinMs)]);
    const browser = { program: this.#program, sandbox: this.#sandbox, signal };
    try {
      return await withBrowser(browser, (devtools) => photograph(devtools, scene));
    } catch (error) {
      if (!this.#sandbox || !(error instanceof BrowserUnstartable)) throw error;
      logger.warn({ err: error }, 'pictures are taken without the sandbox of Chromium: this system does not allow it');
      this.#sandbox = false;
      return this.#attempt(scene, withinMs);
    }
  }
}
