import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What the caller can mend: its message is all that is printed. */
export class Refusal extends Error {}

/** Changes to files below `root`. They are found to be possible before the first is written. */
export class Edits {
  readonly #root: string;
  readonly #texts = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  exists(file: string): boolean {
    return this.#texts.has(file) || existsSync(path.join(this.#root, file));
  }

  read(file: string): string {
    return this.#texts.get(file) ?? readFileSync(path.join(this.#root, file), 'utf8');
  }

  create(file: string, text: string): void {
    if (this.exists(file)) throw new Refusal(`${file} exists already.`);
    this.#texts.set(file, text);
  }

  append(file: string, text: string): void {
    this.#texts.set(file, `${this.read(file)}${text}`);
  }

  /** Inserts before the first `place` that is after the one place where `after` stands. */
  insert(file: string, text: string, place: string, after = ''): void {
    const whole = this.read(file);
    const from = whole.indexOf(after);
    const at = whole.indexOf(place, from + after.length);
    if (from < 0 || at < 0) throw new Refusal(`${file} has no ${JSON.stringify(from < 0 ? after : place)}: make the change by hand.`);
    this.#texts.set(file, `${whole.slice(0, at)}${text}${whole.slice(at)}`);
  }

  /** Inserts a line that imports or exports from `source`, in the order of sources. */
  insertImport(file: string, line: string, source: string): void {
    const lines = this.read(file).split('\n');
    const sources = lines.map((each) => / from '(\.[^']+)';$/.exec(each)?.[1] ?? '');
    const next = sources.findIndex((each) => each > source);
    // The first line of a statement that ends there.
    const isBegin = (each: string) => /^(?:import|export) /.test(each);
    const at =
      next < 0 ? sources.findLastIndex((each) => each !== '') + 1 : lines.findLastIndex((each, index) => index <= next && isBegin(each));
    this.#texts.set(file, lines.toSpliced(at, 0, line).join('\n'));
  }

  save(): string[] {
    for (const [file, text] of this.#texts) {
      mkdirSync(path.dirname(path.join(this.#root, file)), { recursive: true });
      writeFileSync(path.join(this.#root, file), text);
    }
    return [...this.#texts.keys()];
  }
}
