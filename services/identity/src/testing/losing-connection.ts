import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { mongodbUrlBy } from '@webkiln/store/testing';

/** Text of a command to lose: `insert` with `sessions`, as BSON has them. */
const sentAs = (command: string, collection: string) => {
  const length = Buffer.alloc(4);
  length.writeInt32LE(collection.length + 1);
  return Buffer.concat([Buffer.from(`\x02${command}\0`), length, Buffer.from(`${collection}\0`)]);
};

/** A way to the real MongoDB that breaks at one command, as when the database fails over in the middle of a request. */
export class LosingConnection implements AsyncDisposable {
  readonly #server = createServer((client) => this.#forward(client));
  readonly #sockets = new Set<Socket>();
  readonly #target = new URL(process.env.MONGODB_URL ?? '');
  #lost: Buffer | undefined;

  static async toMongodb(): Promise<LosingConnection> {
    const connection = new LosingConnection();
    await once(connection.#server.listen(0, '127.0.0.1'), 'listening');
    return connection;
  }

  get url(): string {
    return mongodbUrlBy((this.#server.address() as AddressInfo).port);
  }

  /** Breaks each connection on which the command is sent to the collection, until `work` has ended. */
  async losing<T>(command: string, collection: string, work: () => Promise<T>): Promise<T> {
    this.#lost = sentAs(command, collection);
    try {
      return await work();
    } finally {
      this.#lost = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket): void {
    const database = connect(Number(this.#target.port), this.#target.hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('close', () => this.#sockets.delete(from) && to.destroy()).on('error', () => to.destroy());
    }
    database.pipe(client);
    client.on('data', (chunk) => {
      if (this.#lost !== undefined && chunk.includes(this.#lost)) client.destroy();
      else database.write(chunk);
    });
  }
}
