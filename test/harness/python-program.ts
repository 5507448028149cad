import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { pythonWith } from '@webkiln/dev-platform';
import type { Json } from './api.ts';

const programs = path.resolve(__dirname, '../python');
const maxReasonLength = 4000;

/** A program of test/python, which has the official Python client: it answers lines of JSON with lines of JSON. */
export class PythonProgram implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exit: Promise<unknown>;
  readonly #lines: AsyncIterator<string>;
  #stderr = '';

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>) {
    this.#child = child;
    this.#exit = once(child, 'close');
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.on('data', (text) => {
      this.#stderr = `${this.#stderr}${text}`.slice(-maxReasonLength);
    });
    // A program that has ended does not read; `next` says why.
    child.stdin.on('error', () => undefined);
  }

  static async start(file: string, args: readonly string[] = []): Promise<PythonProgram> {
    const report = (part: string, text: string) => process.stderr.write(`${part}: ${text}\n`);
    const python = await pythonWith(path.join(programs, 'requirements.txt'), report);
    const env = { ...process.env, ...python.env };
    return new PythonProgram(spawn(python.program, [path.join(programs, file), ...args], { env, stdio: 'pipe' }));
  }

  /** Writes a line; returns the next line of the program. */
  ask(message: object): Promise<Json> {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    return this.next();
  }

  /** The next line of the program; throws what it wrote to stderr if it has ended. */
  async next(): Promise<Json> {
    const { value, done } = await this.#lines.next();
    if (!done) return JSON.parse(value);
    await this.#exit;
    throw new Error(`the Python program has ended:\n${this.#stderr}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }
}
