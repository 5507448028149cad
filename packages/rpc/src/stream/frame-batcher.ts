const batchBytes = 256 * 1024;

/** An item with a size in bytes. */
export interface Sized {
  readonly size: number;
}

/** The writable side of a gRPC stream. After `write` has returned false, wait for 'drain'. */
interface Outlet<Message> {
  write(message: Message): boolean;
  on(event: 'drain', listener: () => void): unknown;
  end(): unknown;
}

/**
 * Writes all items of one event-loop tick as one message, because a message costs about as much as forty frames.
 * Items are held while the other side does not read; the owner must watch `heldBytes` and stop pushing.
 */
export class FrameBatcher<Item extends Sized, Message> {
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

  /** Ignored after `end`. */
  push(item: Item): void {
    if (this.#ending) return;
    this.#items.push(item);
    this.heldBytes += item.size;
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  /** Writes what is left, then ends the stream. */
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
