import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { Redis } from 'ioredis';

/** A Redis of its own that keeps nothing (program: REDIS_SERVER_BIN, else redis-server on the PATH). */
export class RedisServer implements AsyncDisposable {
  static async start(more: readonly string[] = []): Promise<RedisServer> {
    const port = await freePort();
    const folder = mkdtempSync(path.join(tmpdir(), 'redis-'));
    const options = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder, '--save', '', '--appendonly', 'no', ...more];
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
    if (this.#child.signalCode === null && this.#child.kill('SIGKILL')) await once(this.#child, 'exit');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const slots = 16_384;

/** A Redis Cluster of three primaries, each with a third of the slots. */
export class RedisCluster implements AsyncDisposable {
  static async start(): Promise<RedisCluster> {
    const busPorts = await Promise.all([freePort(), freePort(), freePort()]);
    const starting = busPorts.map((port) => RedisServer.start(['--cluster-enabled', 'yes', '--cluster-port', `${port}`]));
    const nodes = await Promise.all(starting);
    const first = (at: number) => Math.floor((at * slots) / nodes.length);
    for (const [at, { admin, port }] of nodes.entries()) {
      await admin.cluster('ADDSLOTSRANGE', first(at), first(at + 1) - 1);
      await nodes[0]?.admin.cluster('MEET', '127.0.0.1', port, busPorts[at] as number);
    }
    const knowsAll = async ({ admin }: RedisServer) => /cluster_state:ok.*known_nodes:3/s.test(await admin.cluster('INFO'));
    for (const node of nodes) while (!(await knowsAll(node))) await pause(20);
    return new RedisCluster(nodes);
  }

  readonly nodes: readonly RedisServer[];

  private constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
  }

  /** The address of one node, which names the others. */
  get url(): string {
    return `redis://127.0.0.1:${this.nodes[0]?.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map((node) => node[Symbol.asyncDispose]()));
  }
}
