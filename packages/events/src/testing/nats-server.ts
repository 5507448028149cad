import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '@webkiln/store/testing';
import { withNats } from './test-stream.ts';

const firstPort = 10_000;
const lastPort = 19_999;

/** A NATS server of the test's own, to be killed, paused and emptied (program: NATS_SERVER_BIN, else nats-server on the PATH). */
export class NatsServer {
  readonly url: string;
  readonly #port: number;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'nats-'));
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.#port = port;
    this.url = `nats://127.0.0.1:${port}`;
  }

  /** One that does not run yet, but has its port: one that the kernel gives to no outgoing connection while the server is away. */
  static async notYetStarted(): Promise<NatsServer> {
    let port: number;
    do port = randomInt(firstPort, lastPort + 1);
    while (!(await isFree(port)));
    return new NatsServer(port);
  }

  /** Resolves when JetStream answers. */
  async start(): Promise<void> {
    const program = process.env.NATS_SERVER_BIN ?? 'nats-server';
    const options = ['--addr', '127.0.0.1', '--port', `${this.#port}`, '--jetstream', '--store_dir', this.#folder];
    this.#child = spawn(program, options, { stdio: 'ignore' });
    await until(() => withNats(async (connection) => Boolean(await connection.jetstreamManager()), this.url).catch(() => false));
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  continue(): void {
    this.#child?.kill('SIGCONT');
  }

  /** kill -9 */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Takes its disk away; it must not run. */
  empty(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    await this.kill();
    this.empty();
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
