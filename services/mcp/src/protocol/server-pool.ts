import type { Server } from '@modelcontextprotocol/server';

/** Servers are kept up to this number: more requests at once are rare. */
const maxIdle = 256;

/**
 * Servers for the revision 2026-07-28, whose SDK connects one to each request. A server returns to the pool when its
 * request is closed.
 */
export class ServerPool {
  readonly #create: () => Server;
  readonly #idle: Server[] = [];

  constructor(create: () => Server) {
    this.#create = create;
  }

  take(): Server {
    return this.#idle.pop() ?? this.#new();
  }

  #new(): Server {
    const server = this.#create();
    server.onclose = () => {
      if (this.#idle.length < maxIdle) this.#idle.push(server);
    };
    return server;
  }
}
