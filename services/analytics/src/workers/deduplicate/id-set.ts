const firstCapacity = 1024;
const fullest = 0.6;

/** A set of 64-bit ids that are as good as random, in 13 to 27 bytes each: open addressing over one typed array. */
export class IdSet {
  #slots = new Uint32Array(2 * firstCapacity);
  #size = 0;
  #hasZero = false;

  get size(): number {
    return this.#size;
  }

  has(high: number, low: number): boolean {
    if ((high | low) === 0) return this.#hasZero;
    const slot = this.#slotOf(this.#slots, high, low);
    return this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0;
  }

  add(high: number, low: number): void {
    if (this.has(high, low)) return;
    this.#size++;
    if ((high | low) === 0) {
      this.#hasZero = true;
      return;
    }
    if (this.#size > (this.#slots.length / 2) * fullest) this.#grow();
    this.#put(this.#slots, high, low);
  }

  /** Where the id is, or the free place where it belongs. */
  #slotOf(slots: Uint32Array, high: number, low: number): number {
    const mask = slots.length / 2 - 1;
    for (let index = low & mask; ; index = (index + 1) & mask) {
      const [foundHigh, foundLow] = [slots[2 * index], slots[2 * index + 1]];
      if ((foundHigh === high && foundLow === low) || (foundHigh === 0 && foundLow === 0)) return 2 * index;
    }
  }

  #put(slots: Uint32Array, high: number, low: number): void {
    const slot = this.#slotOf(slots, high, low);
    slots[slot] = high;
    slots[slot + 1] = low;
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2);
    for (let slot = 0; slot < this.#slots.length; slot += 2) {
      const [high = 0, low = 0] = [this.#slots[slot], this.#slots[slot + 1]];
      if ((high | low) !== 0) this.#put(larger, high, low);
    }
    this.#slots = larger;
  }
}
