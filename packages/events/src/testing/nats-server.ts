import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TlsFiles } from '@webkiln/runtime';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { pauseProcess } from '@webkiln/runtime/testing/pause-process';
import { until } from '@webkiln/store/testing';
import type { NatsConnection } from 'nats';
import { serverOf } from '../connection.ts';
import type { SmallDisk } from './small-disk.ts';
import { withNats } from './test-stream.ts';

interface StartOptions {
  readonly maxStoreMb?: number;
  readonly disk?: SmallDisk;
  readonly config?: string;
  /** Its certificate; without it the server speaks in the clear. */
  readonly tls?: TlsFiles;
}

/** A NATS server that a test can kill, pause and empty (program: NATS_SERVER_BIN, else nats-server on the PATH). */
export class NatsServer {
  readonly url: string;
  readonly #port: number;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'nats-'));
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.#port = port;
    this.url = `nats://127.0.0.1:${port}`;
  }

  /** A server that is not running yet, but has its port. */
  static async notYetStarted(): Promise<NatsServer> {
    return new NatsServer(await freePort());
  }

  get tlsUrl(): string {
    return this.url.replace('nats:', 'tls:');
  }

  /**
   * Resolves when JetStream answers. `maxStoreMb`: how much its streams may reserve on disk together. `config`: more
   * settings.
   */
  async start({ maxStoreMb = 100_000, disk, config = '', tls }: StartOptions = {}): Promise<void> {
    const program = process.env.NATS_SERVER_BIN ?? 'nats-server';
    const settings = path.join(this.#folder, 'nats.conf');
    mkdirSync(this.#folder, { recursive: true });
    const jetstream = `jetstream { store_dir: "${disk?.folder ?? this.#folder}", max_file_store: ${maxStoreMb}M }`;
    const certificate = tls === undefined ? '' : `tls { cert_file: "${tls.cert}", key_file: "${tls.key}" }`;
    writeFileSync(settings, [jetstream, certificate, config].join('\n'));
    const options = ['--addr', '127.0.0.1', '--port', `${this.#port}`, '--config', settings];
    const [command = program, ...parameters] = [...(disk?.entering ?? []), program, ...options];
    const child = spawn(command, parameters, { stdio: 'ignore', env: process.env });
    this.#child = child;
    const answers = async (connection: NatsConnection) => Boolean(await connection.jetstreamManager());
    const secure = tls && { tls: { ...serverOf(this.tlsUrl).tls, caFile: tls.ca } };
    await until(() => {
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode} before it answered at ${this.url}`);
      return withNats(answers, this.url, secure).catch(() => false);
    });
  }

  /** Resolves when it has stopped. */
  async pause(): Promise<void> {
    if (this.#child !== undefined) await pauseProcess(this.#child);
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

  /** Deletes its disk; it must not run. */
  empty(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    await this.kill();
    this.empty();
  }
}
