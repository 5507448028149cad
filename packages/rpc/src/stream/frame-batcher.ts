const batchBytes = 256 * 1024;

/** Anything that counts against the bytes of a batch. */
export interface Sized {
  readonly size: number;
}

/** The writing side of a gRPC stream; `write` is false when it wants no more before 'drain'. */
interface Outlet<Message> {
  write(message: Message): boolean;
  on(event: 'drain', listener: () => void): unknown;
  end(): unknown;
}

/**
 * Gathers what is to be written during one turn of the event loop into one message: a message costs about as much as forty frames.
 * When the other side reads too slowly it holds what comes; `heldBytes` tells the owner to take no more.
 */
export class TurnBatches<Item extends Sized, Message> {
  readonly #outlet: Outlet<Message>;
  readonly #pack: (items: readonly Item[]) => Message;
  #items: Item[] = [];
  #scheduled = false;
  #blocked = false;
  #ending = false;
  heldBytes = 0;

  constructor(outlet: Outlet<Message>, pack: (items: readonly Item[]) => Message) {
    this.#outlet = outlet;
    this.#pack = pack;
    outlet.on('drain', () => {
      this.#blocked = false;
      this.#flush();
    });
  }

  /** Nothing is taken after `end`. */
  push(item: Item): void {
    if (this.#ending) return;
    this.#items.push(item);
    this.heldBytes += item.size;
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  /** Ends the stream once everything is written. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#flush();
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    while (this.#items.length > 0 && !this.#blocked) this.#blocked = !this.#outlet.write(this.#pack(this.#nextBatch()));
    if (this.#ending && this.#items.length === 0) this.#outlet.end();
  };

  #nextBatch(): readonly Item[] {
    if (this.heldBytes <= batchBytes) {
      const all = this.#items;
      this.#items = [];
      this.heldBytes = 0;
      return all;
    }
    let bytes = 0;
    let count = 0;
    for (const { size } of this.#items) {
      if (count > 0 && bytes + size > batchBytes) break;
      bytes += size;
      count++;
    }
    this.heldBytes -= bytes;
    return this.#items.splice(0, count);
  }
}
