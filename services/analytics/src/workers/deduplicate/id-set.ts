const initialCapacity = 1024;
const maxFill = 0.6;

/** A set of random 64-bit ids, 13 to 27 bytes each: open addressing in one typed array. */
export class IdSet {
  #slots = new Uint32Array(2 * initialCapacity);
  #size = 0;
  #hasZero = false;

  get size(): number {
    return this.#size;
  }

  has(high: number, low: number): boolean {
    if ((high | low) === 0) return this.#hasZero;
    const slot = this.#findSlot(this.#slots, high, low);
    return this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0;
  }

  add(high: number, low: number): void {
    if (this.has(high, low)) return;
    this.#size++;
    if ((high | low) === 0) {
      this.#hasZero = true;
      return;
    }
    if (this.#size > (this.#slots.length / 2) * maxFill) this.#grow();
    this.#put(this.#slots, high, low);
  }

  /** Returns the slot of the id, or the free slot where it belongs. */
  #findSlot(slots: Uint32Array, high: number, low: number): number {
    const mask = slots.length / 2 - 1;
    for (let index = low & mask; ; index = (index + 1) & mask) {
      const [foundHigh, foundLow] = [slots[2 * index], slots[2 * index + 1]];
      if ((foundHigh === high && foundLow === low) || (foundHigh === 0 && foundLow === 0)) return 2 * index;
    }
  }

  #put(slots: Uint32Array, high: number, low: number): void {
    const slot = this.#findSlot(slots, high, low);
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
