import type { ServerResponse } from 'node:http';
import type { Conduct } from './audience.ts';
import type { Heard } from './subscriber.ts';

/** A receiver that holds the deliveries it is told to, unanswered, and takes all others at once. */
export class Holding {
  readonly held = new Set<ServerResponse>();
  /** How many of them their sender has given up. */
  abandoned = 0;
  readonly #isHeld: (heard: Heard, heldNow: number) => boolean;
  #released = false;

  constructor(isHeld: (heard: Heard, heldNow: number) => boolean) {
    this.#isHeld = isHeld;
  }

  readonly conduct: Conduct = (response, heard) => {
    if (this.#released || !this.#isHeld(heard, this.held.size)) {
      response.writeHead(204).end();
      return;
    }
    this.held.add(response);
    response.once('close', () => {
      if (this.held.delete(response)) this.abandoned++;
    });
  };

  /** Holds no more, and takes what was held. */
  release(): void {
    this.#released = true;
    for (const response of this.held) {
      this.held.delete(response);
      response.writeHead(204).end();
    }
  }
}
