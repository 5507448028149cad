import type { TurnPart } from '../../engines/engine.ts';

const maxTextLength = 32_000;

/** A turn's words, files and tokens so far. Its record keeps them, however the turn ends. */
export class TurnProgress {
  /** Tokens of the model that are paid for. */
  tokens = 0;
  #text = '';
  readonly #files = new Set<string>();

  /** True if the turn has said something. */
  get hasText(): boolean {
    return this.#text !== '';
  }

  say(text: string): void {
    this.#text = (this.#text + text).slice(0, maxTextLength);
  }

  note(part: TurnPart): void {
    if (part.type === 'text-delta') this.say(part.delta);
    if (part.type === 'data-file') this.#files.add((part.data as { path: string }).path);
  }

  /** The fields of the turn's record. */
  get fields(): { text: string; files: string[]; tokens: number } {
    return { text: this.#text, files: [...this.#files], tokens: this.tokens };
  }
}
