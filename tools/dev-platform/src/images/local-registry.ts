import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A registry of images on this machine, without TLS. Its content is in `folder`, or else ends with it. */
export class LocalRegistry implements AsyncDisposable {
  /** `localhost:5000` */
  readonly host: string;
  readonly #stop: () => Promise<unknown>;

  private constructor(host: string, stop: () => Promise<unknown>) {
    this.host = host;
    this.#stop = stop;
  }

  static async start(crane: string, folder?: string): Promise<LocalRegistry> {
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    const args = ['registry', 'serve', '--address', 'localhost:0', ...(folder === undefined ? [] : ['--disk', folder])];
    const child = spawn(crane, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const exit = once(child, 'exit');
    for await (const line of createInterface({ input: child.stderr })) {
      const [, port] = /serving on port (\d+)/.exec(line) ?? [];
      if (port === undefined) continue;
      child.stderr.resume(); // a line for each request
      return new LocalRegistry(`localhost:${port}`, () => {
        child.kill();
        return exit;
      });
    }
    throw new Error('the registry did not start');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}
