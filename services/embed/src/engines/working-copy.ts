import { pathProblem } from '@webkiln/contract';
import { type SiteWork, WorkRefusal } from './engine.ts';

const maxFiles = 2_000;
const maxTextBytes = 512 * 1024;
/** The difference of a turn travels in one message. */
const maxWrittenBytes = 8 * 1024 * 1024;

/** A file of the draft; without `content` it is no text, or a text that is too large to be worked on. */
interface DraftFile {
  readonly path: string;
  readonly size: number;
  readonly content?: Uint8Array | undefined;
}

/** The files of a draft with what a turn has changed, in memory: the draft itself stays as it is. */
export class WorkingCopy implements SiteWork {
  readonly #sizes: Map<string, number>;
  readonly #texts = new Map<string, string>();
  readonly #original: ReadonlySet<string>;
  readonly #written = new Set<string>();
  #writtenBytes = 0;

  constructor(draft: readonly DraftFile[]) {
    this.#sizes = new Map(draft.map(({ path, size }) => [path, size]));
    this.#original = new Set(this.#sizes.keys());
    for (const { path, content } of draft) if (content !== undefined) this.#texts.set(path, Buffer.from(content).toString());
  }

  list(): readonly { readonly path: string; readonly size: number }[] {
    return [...this.#sizes].map(([path, size]) => ({ path, size })).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  read(path: string): string | undefined {
    return this.#texts.get(path);
  }

  write(path: string, text: string): void {
    const problem = pathProblem(path);
    if (problem !== undefined) throw new WorkRefusal(`The path ${problem}.`);
    if (!text.isWellFormed()) throw new WorkRefusal('The text must be valid Unicode.');
    const size = Buffer.byteLength(text);
    if (size > maxTextBytes) throw new WorkRefusal(`A file has at most ${maxTextBytes / 1024} KB: split it.`);
    if (!this.#sizes.has(path) && this.#sizes.size >= maxFiles) throw new WorkRefusal(`A site has at most ${maxFiles} files.`);
    const bytes = this.#writtenBytes + size - (this.#written.has(path) ? (this.#sizes.get(path) ?? 0) : 0);
    if (bytes > maxWrittenBytes) throw new WorkRefusal(`One turn writes at most ${maxWrittenBytes / 1024 ** 2} MB.`);
    this.#writtenBytes = bytes;
    this.#written.add(path);
    this.#sizes.set(path, size);
    this.#texts.set(path, text);
  }

  delete(path: string): void {
    const size = this.#sizes.get(path);
    if (size === undefined) throw new WorkRefusal(`There is no file ${path}.`);
    if (this.#written.delete(path)) this.#writtenBytes -= size;
    this.#sizes.delete(path);
    this.#texts.delete(path);
  }

  /** The changes of the turn so far, as `projects.WriteTurn` takes them. */
  get difference(): { readonly written: { readonly path: string; readonly content: Buffer }[]; readonly deleted: string[] } {
    return {
      written: [...this.#written].map((path) => ({ path, content: Buffer.from(this.#texts.get(path) ?? '') })),
      deleted: [...this.#original].filter((path) => !this.#sizes.has(path)),
    };
  }
}
