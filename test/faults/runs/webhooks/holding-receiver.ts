import type { ServerResponse } from 'node:http';
import type { Responder } from './receiver.ts';
import type { ReceivedEvent } from './subscriber.ts';

/** A receiver that leaves chosen deliveries unanswered and accepts all others at once. */
export class HoldingReceiver {
  readonly held = new Set<ServerResponse>();
  /** How many held requests their sender has closed. */
  abandoned = 0;
  readonly #shouldHold: (received: ReceivedEvent, heldNow: number) => boolean;
  #released = false;

  constructor(shouldHold: (received: ReceivedEvent, heldNow: number) => boolean) {
    this.#shouldHold = shouldHold;
  }

  readonly respond: Responder = (response, received) => {
    if (this.#released || !this.#shouldHold(received, this.held.size)) {
      response.writeHead(204).end();
      return;
    }
    this.held.add(response);
    response.once('close', () => {
      if (this.held.delete(response)) this.abandoned++;
    });
  };

  /** Stops holding and accepts the held deliveries. */
  release(): void {
    this.#released = true;
    for (const response of this.held) {
      this.held.delete(response);
      response.writeHead(204).end();
    }
  }
}
