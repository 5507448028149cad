import { Repeats } from './repeats.ts';

/** Where the generations begin on the stream, so that what no reader needs any more can be let go of. */
export class GenerationStarts {
  readonly #first = new Map<number, number>();

  note({ at, sequence }: { readonly at: number; readonly sequence: number }): void {
    const generation = Repeats.generationOf(at);
    if (!this.#first.has(generation)) this.#first.set(generation, sequence);
  }

  /** Whether something may be let go of where nobody goes on from before `at`. */
  mayLetGo(at: number): boolean {
    const needed = firstNeeded(at);
    return [...this.#first.keys()].some((generation) => generation <= needed);
  }

  /** The sequence below which nothing is needed by who goes on from `at`, or a generation before; undefined where that was said, or is not known. */
  unneededBelow(at: number): number | undefined {
    const needed = firstNeeded(at);
    const first = this.#first.get(needed);
    const older = [...this.#first.keys()].filter((generation) => generation <= needed);
    for (const generation of older) this.#first.delete(generation);
    return first;
  }
}

const firstNeeded = (at: number): number => Repeats.generationOf(at) - 2;
