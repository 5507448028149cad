import type { AuthInfo, JSONRPCMessage, JSONRPCRequest, RequestId, Server, Transport } from '@modelcontextprotocol/server';

interface Waiting {
  readonly id: RequestId;
  readonly resolve: (json: string) => void;
}

/**
 * Serves every request of the revisions until 2025-11-25 by one server, which is made once: to make one for each
 * request, as the SDK does for a server without sessions, takes most of a request's time. It is the transport of that
 * server. Requests get an id of their own in it, so that those of different clients never meet.
 */
export class PreparedServer implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #waiting = new Map<RequestId, Waiting>();
  /** The JSON of results that never change, by the result. */
  readonly #texts = new WeakMap<object, string>();
  #lastId = 0;

  /** `constantResults` are those that handlers return again and again. */
  static async of(server: Server, constantResults: readonly object[]): Promise<PreparedServer> {
    const prepared = new PreparedServer();
    for (const result of constantResults) prepared.#texts.set(result, JSON.stringify(result));
    await server.connect(prepared);
    return prepared;
  }

  /** The JSON-RPC response, as JSON. */
  ask(request: JSONRPCRequest, authInfo: AuthInfo): Promise<string> {
    const own = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(own, { id: request.id, resolve });
      this.onmessage?.({ ...request, id: own }, { authInfo });
    });
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  /** Called by the server. What is no response has no recipient: there are no streams. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('id' in message) || message.id === undefined || 'method' in message) return;
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id);
    const text = 'result' in message ? this.#texts.get(message.result) : undefined;
    const id = JSON.stringify(waiting.id);
    waiting.resolve(text === undefined ? JSON.stringify({ ...message, id: waiting.id }) : `{"jsonrpc":"2.0","id":${id},"result":${text}}`);
  }
}
