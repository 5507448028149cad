const charactersPerToken = 4;
/** The characters that an image counts as where a provider states no usage. */
const charactersPerImage = 6_000;

/** The length of all text in messages for a model, in characters; an image counts as a fixed length. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return charactersPerImage;
  if (typeof value !== 'object' || value === null) return 4;
  return Object.values(value).reduce<number>((sum, part) => sum + lengthOf(part) + 2, 0);
}

export const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken);

/** Counts the tokens of a turn: those that the provider states, else an estimate of four characters a token. */
export class Spending {
  readonly #max: number;
  #finished = 0;
  #lastStep = 0;
  #input = 0;
  #output = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Tokens spent until now; of a step that runs, the estimate. Never more than the turn may spend. */
  get tokens(): number {
    return Math.min(this.#max, this.#finished + tokensOf(this.#input + this.#output));
  }

  /** The tokens left for a step after its input of so many characters. */
  left(inputCharacters: number): number {
    return this.#max - this.#finished - tokensOf(inputCharacters);
  }

  /** True if another step costs more than is left: its input is at least what the last step read and wrote. */
  get isUsedUp(): boolean {
    return this.#finished + this.#lastStep >= this.#max;
  }

  startStep(inputCharacters: number): void {
    [this.#input, this.#output] = [inputCharacters, 0];
  }

  /** Returns how many characters the step has written. */
  addOutput(characters: number): number {
    this.#output += characters;
    return this.#output;
  }

  endStep(usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined }): void {
    const isSilent = usage.inputTokens === undefined && usage.outputTokens === undefined;
    const input = isSilent ? tokensOf(this.#input) : (usage.inputTokens ?? 0);
    const output = isSilent ? tokensOf(this.#output) : (usage.outputTokens ?? 0);
    this.#lastStep = input + output;
    this.#finished += this.#lastStep;
    [this.#input, this.#output] = [0, 0];
  }
}
