import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pauseProcess } from '@webkiln/runtime/testing/pause-process';
import { keys } from './loopback.ts';

/** A replica of projects-templates (replica.ts) in a child process; `await using` kills it. */
export class ReplicaProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly port: number;
  /** The project ids of the calls it received. */
  readonly calls: readonly string[];

  private constructor(child: ChildProcess, port: number, calls: readonly string[]) {
    this.#child = child;
    this.port = port;
    this.calls = calls;
  }

  static async start(port = 0): Promise<ReplicaProcess> {
    const child = fork(path.join(__dirname, 'replica.ts'), [keys.publicKey, String(port)]);
    const [message] = (await once(child, 'message')) as [{ port: number }];
    const calls: string[] = [];
    child.on('message', ({ called }: { called: string }) => calls.push(called));
    return new ReplicaProcess(child, message.port, calls);
  }

  get pid(): string {
    return String(this.#child.pid);
  }

  /** Resolves when it has stopped; SIGCONT lets it go on. */
  pause(): Promise<void> {
    return pauseProcess(this.#child);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
