import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { eventually } from '../harness/agency.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface Newcomer {
  /** An empty folder. */
  readonly home: string;
  /** With the key and the address of the platform, which the page says to set. */
  readonly env: NodeJS.ProcessEnv;
  /** Replaces what is not in a registry yet by what is packed, in the lines of a shell. */
  readonly fromPackages: (script: string) => string;
}

interface Printed {
  /** What the first program printed. */
  readonly url: string;
  readonly receiver: string;
}

/** Follows a section of docs/sdk.md to the letter, by its blocks in their order. */
export async function followTenMinutes(section: string, { home, env, fromPackages }: Newcomer): Promise<Printed> {
  const guide = readFileSync(path.join(root, 'docs/sdk.md'), 'utf8');
  const text = guide.split(`\n### ${section}\n`)[1]?.split(/^##/m)[0] ?? '';
  const [, receiver = ''] = /\]\(\.\.\/examples\/(webhooks\/[\w.]+)\)/.exec(text) ?? [];
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, content = '']) => ({ language, content }));
  const program = blocks.find(({ language }) => language !== 'sh')?.content ?? '';
  const [, name = ''] = /^\S+ (\S+)\n/.exec(program) ?? [];
  const port = await freePort();
  const [install = '', listen = '', receive = '', run = ''] = blocks
    .filter(({ language }) => language === 'sh')
    .map(({ content }) => fromPackages(content.replace(':3000/', `:${port}/`)));
  await using first = new Shell(home, env);
  first.types(`${install}echo installed`);
  await first.prints(/^installed$/m);
  await using second = new Shell(home, env);
  second.types(listen);
  const secret = await second.prints(/^whsec_\S+$/m);
  copyFileSync(path.join(root, 'examples', receiver), path.join(home, path.basename(receiver)));
  await using third = new Shell(home, { ...env, PORT: `${port}` });
  third.types(receive.replace('whsec_…', secret));
  await third.prints(/^listening on/m);
  writeFileSync(path.join(home, name), program);
  first.types(run);
  const url = await first.prints(/^https?:\S+$/m);
  for (const event of ['client.created', 'client.updated', 'project.created', 'project.published'])
    await third.prints(new RegExp(`^handled ${event} `, 'm'));
  return { url, receiver: third.out };
}

/** A shell that a developer opens and types into; it ends at the first command that fails. */
class Shell implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exit: Promise<unknown>;
  out = '';

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    // In a group of its own, so that Ctrl-C reaches what the shell runs.
    this.#child = spawn('bash', ['-e'], { cwd, env, detached: true });
    this.#exit = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on('data', (text) => (this.out += text));
  }

  types(script: string): void {
    this.#child.stdin.write(`${script}\n`);
  }

  /** Waits for a line; returns what matches. */
  prints(line: RegExp): Promise<string> {
    const found = eventually(() => line.exec(this.out)?.[0] ?? Promise.reject(new Error(`${line} is not printed:\n${this.out}`)));
    const ended = this.#exit.then(() => Promise.reject(new Error(`the shell has ended:\n${this.out}`)));
    return Promise.race([found, ended]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode === null && this.#child.signalCode === null) process.kill(-(this.#child.pid ?? 0), 'SIGINT');
    await this.#exit;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
