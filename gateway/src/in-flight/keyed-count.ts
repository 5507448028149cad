/** Counts what each key holds, such as the connections of a network. A key at zero takes no memory. */
export class KeyedCount {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Keys that hold something. */
  get keys(): number {
    return this.#counts.size;
  }

  /** False, and nothing is counted, beyond the maximum. A key that holds nothing may always begin. */
  add(key: string, amount: number): boolean {
    const held = this.#counts.get(key) ?? 0;
    if (held > 0 && held + amount > this.#max) return false;
    this.#counts.set(key, held + amount);
    return true;
  }

  remove(key: string, amount: number): void {
    const left = (this.#counts.get(key) ?? 0) - amount;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
