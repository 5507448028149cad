import { connect, type Socket } from 'node:net';
import { hostileAddress } from '../nuisance.ts';

interface Options {
  readonly port: number;
  readonly count: number;
  /** The beginning of a request, of which each connection then sends `piece` every `everyMs`. */
  readonly begin: string;
  readonly piece: string;
  readonly everyMs: number;
}

const reconnectMs = 100;

/** Connections that send a request in small pieces; one that the platform ends is opened again. */
export class HeldConnections {
  /** How many were opened. */
  opened = 0;
  readonly #options: Options;
  readonly #open = new Set<Socket>();
  readonly #drip: NodeJS.Timeout;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
    for (let each = 0; each < options.count; each++) this.#connect();
    this.#drip = setInterval(() => {
      for (const socket of this.#open) socket.write(options.piece);
    }, options.everyMs);
  }

  /** Ends all; returns how many were still held open. */
  stop(): number {
    this.#stopped = true;
    clearInterval(this.#drip);
    const held = this.#open.size;
    for (const socket of this.#open) socket.destroy();
    return held;
  }

  #connect(): void {
    if (this.#stopped) return;
    this.opened++;
    const socket = connect({ host: '127.0.0.1', port: this.#options.port, localAddress: hostileAddress });
    this.#open.add(socket);
    socket.on('error', () => undefined).resume();
    socket.on('close', () => {
      this.#open.delete(socket);
      setTimeout(() => this.#connect(), reconnectMs);
    });
    socket.write(this.#options.begin);
  }
}
