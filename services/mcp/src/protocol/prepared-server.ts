import type { JSONRPCMessage, JSONRPCRequest, RequestId, Server, Transport } from '@modelcontextprotocol/server';
import { AppError } from '@webkiln/contract';
import { authInfoOf, type CallContext } from './call-context.ts';

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
  #lastId = 0;

  static async of(server: Server): Promise<PreparedServer> {
    const prepared = new PreparedServer();
    await server.connect(prepared);
    return prepared;
  }

  /** The JSON-RPC response, as JSON. Rejects with `unavailable` once nobody waits for it. */
  ask(request: JSONRPCRequest, context: CallContext): Promise<string> {
    const own = ++this.#lastId;
    const { signal } = context.lifetime;
    if (signal.aborted) return Promise.reject(new AppError('unavailable'));
    return new Promise((resolve, reject) => {
      this.#waiting.set(own, { id: request.id, resolve });
      signal.addEventListener('abort', () => this.#waiting.delete(own) && reject(new AppError('unavailable')), { once: true });
      this.onmessage?.({ ...request, id: own }, { authInfo: authInfoOf(context) });
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
    waiting.resolve(JSON.stringify({ ...message, id: waiting.id }));
  }
}
