import { logger } from '@webkiln/runtime';

/** Shows what a turn has written so far: one write at a time, and one more if files changed meanwhile. */
export class DraftPreview {
  readonly #show: () => Promise<void>;
  #showing: Promise<void> | undefined;
  #isStale = false;

  constructor(show: () => Promise<void>) {
    this.#show = show;
  }

  changed(): void {
    this.#isStale = true;
    this.#showing ??= this.#run().finally(() => {
      this.#showing = undefined;
    });
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    this.#isStale = false;
    await this.#showing;
  }

  async #run(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      try {
        await this.#show();
      } catch (err) {
        logger.warn({ err }, 'the preview of a turn does not follow; its end shows everything');
        return;
      }
    }
  }
}
