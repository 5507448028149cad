import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { Redis } from 'ioredis';

/** A Redis of its own that keeps nothing (program: REDIS_SERVER_BIN, else redis-server on the PATH). */
export class RedisServer implements AsyncDisposable {
  static async start(): Promise<RedisServer> {
    const port = await freePort();
    const folder = mkdtempSync(path.join(tmpdir(), 'redis-'));
    const options = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder, '--save', '', '--appendonly', 'no'];
    const child = spawn(process.env.REDIS_SERVER_BIN ?? 'redis-server', options, { stdio: 'ignore' });
    const admin = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 20, maxRetriesPerRequest: null });
    admin.on('error', () => undefined);
    await admin.ping();
    return new RedisServer({ port, admin, child, folder });
  }

  readonly port: number;
  /** A connection to this server itself. */
  readonly admin: Redis;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor({ port, admin, child, folder }: { port: number; admin: Redis; child: ChildProcess; folder: string }) {
    this.port = port;
    this.admin = admin;
    this.#child = child;
    this.#folder = folder;
  }

  /** Takes no writes any more and copies `primary`. */
  async becomeReplicaOf(primary: RedisServer): Promise<void> {
    await this.admin.replicaof('127.0.0.1', primary.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.admin.disconnect();
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
