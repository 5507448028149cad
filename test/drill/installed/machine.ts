import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { eventually } from '../../harness/agency.ts';

/** A container of an installation, as compose.yaml or the chart describes it. */
export interface Container {
  /** Also its address. */
  readonly name: string;
  readonly image: string;
  /** Instead of the entrypoint of the image. */
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What is mounted from this machine, by its path in the container. */
  readonly mounts: Readonly<Record<string, string>>;
  /** Instead of the user of the image: root is 0:0. */
  readonly user?: string;
  /** The port that answers once it is ready; that of processes says so at /readyz. */
  readonly port?: number | undefined;
}

interface ImageConfig {
  readonly config: { readonly Entrypoint: string[]; readonly Env: string[]; readonly User?: string };
}

const processPort = 9090;
const readyTimeoutMs = 120_000;
const user = 65_532;
const isRoot = process.getuid?.() === 0;

/**
 * Runs containers without an engine: each is its image's own files, below chroot in a mount namespace of its own. They
 * share the network of this machine: each has an address of 127.0.77.0/24, by which /etc/hosts names it.
 */
export class Machine implements AsyncDisposable {
  readonly folder: string;
  readonly #crane: string;
  readonly #registry: string;
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #running: { readonly child: ChildProcess; readonly exit: Promise<unknown> }[] = [];

  /** `registry` holds the images, whatever registry their names have. */
  constructor(folder: string, crane: string, registry: string, names: readonly string[]) {
    this.folder = folder;
    this.#crane = crane;
    this.#registry = registry;
    this.#addresses = new Map(names.map((name, at) => [name, `127.0.77.${at + 1}`]));
  }

  addressOf(name: string): string {
    return this.#addresses.get(name) ?? '';
  }

  /** A folder that a container may write, as a new volume is. */
  volume(...names: string[]): string {
    const folder = path.join(this.folder, 'volumes', ...names);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    if (isRoot) chownSync(folder, user, user);
    return folder;
  }

  /** A file that a container reads. */
  file(name: string, content: string): string {
    const file = path.join(this.folder, 'files', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  /** Starts a container, again if it ends, as a kubelet and Compose do; waits until it is ready. */
  async start(container: Container): Promise<void> {
    const log = path.join(this.folder, `${container.name}.log`);
    const address = this.addressOf(container.name);
    let child: ChildProcess | undefined;
    await eventually(async () => {
      if (child === undefined || child.exitCode !== null) child = this.#launch(container, log);
      await (container.port === undefined ? isReady(address) : answers(address, container.port));
    }, readyTimeoutMs).catch((error: Error) => {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(-15) : [];
      throw new Error(`${container.name} is not ready: ${error.message}\n${lines.join('\n')}`);
    });
  }

  #launch(container: Container, log: string): ChildProcess {
    const child = this.#spawn(container);
    this.#running.push({ child, exit: once(child, 'exit') });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => appendFileSync(log, text));
    return child;
  }

  /** Runs a container to its end; resolves to what it printed. */
  async run(container: Container): Promise<string> {
    const child = this.#spawn(container);
    const [out, err] = [child.stdout, child.stderr].map((stream) => stream?.setEncoding('utf8').toArray());
    const [code] = await once(child, 'exit');
    if (code === 0) return (await out)?.join('') ?? '';
    throw new Error(`${container.name} exited with ${code}: ${(await out)?.join('')}${(await err)?.join('')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, exit } of this.#running.toReversed()) {
      child.kill('SIGTERM');
      await exit;
    }
  }

  #spawn({ name, image, user: own, command, args = [], env, mounts }: Container): ChildProcess {
    const { root, config } = this.#unpack(image);
    const given = { ...Object.fromEntries(config.Env.map((pair) => pair.split(/=(.*)/s, 2))), ...env };
    const settings = 'BIND_ADDRESS' in given ? { ...given, BIND_ADDRESS: this.addressOf(name) } : given;
    const program = [...(command ?? config.Entrypoint), ...args];
    const all = { '/dev': '/dev', '/proc': '/proc', '/tmp': this.volume(`${name}-tmp`), ...mounts };
    const lines = Object.entries(all).map(([target, source]) => {
      const at = path.join(root, target);
      if (statSync(source).isDirectory()) mkdirSync(at, { recursive: true });
      else if (!existsSync(at)) {
        mkdirSync(path.dirname(at), { recursive: true });
        writeFileSync(at, '');
      }
      return `/bin/mount --rbind '${source}' '${at}'`;
    });
    const as = isRoot ? [`--userspec=${own ?? config.User ?? '0:0'}`] : [];
    const script = [...lines, `exec /usr/sbin/chroot ${as.join(' ')} '${root}' "$@"`].join(' && ');
    const apart = isRoot ? ['--mount'] : ['--mount', '--user', '--map-root-user'];
    return spawn(
      '/usr/bin/unshare',
      [...apart, '/bin/sh', '-c', script, name, inPath(root, program[0] ?? '', settings), ...program.slice(1)],
      {
        env: settings,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
  }

  /** The files of an image, once for all of its containers. */
  #unpack(image: string): { readonly root: string; readonly config: ImageConfig['config'] } {
    const name = image
      .split('/')
      .slice(-2)
      .join('/')
      .replace(/^ghcr.io\//, '');
    const reference = `${this.#registry}/${image.replace(/^[^/]*[.:][^/]*\//, '')}`;
    const root = path.join(this.folder, 'images', name.replaceAll(/[/:]/g, '-'));
    const crane = (...args: string[]) => execFileSync(this.#crane, [...args, '--platform', 'linux/amd64'], { maxBuffer: 2 ** 30 });
    if (!existsSync(root)) {
      mkdirSync(root, { recursive: true });
      execFileSync('tar', ['-x', '-C', root], { input: crane('export', reference, '-') });
      const hosts = [...this.#addresses].map(([host, address]) => `${address} ${host} ${host}-0.${host}\n`);
      writeFileSync(path.join(root, 'etc/hosts'), `127.0.0.1 localhost\n${hosts.join('')}`);
    }
    const { config } = JSON.parse(crane('config', reference).toString()) as ImageConfig;
    return { root, config };
  }
}

/** A program without a folder is looked for in the PATH of its container. */
function inPath(root: string, program: string, { PATH = '' }: Readonly<Record<string, string>>): string {
  if (program.includes('/') || program.startsWith('-')) return program;
  const folder = PATH.split(':').find((each) => existsSync(path.join(root, each, program)));
  return folder === undefined ? program : path.join(folder, program);
}

async function isReady(address: string): Promise<void> {
  const response = await fetch(`http://${address}:${processPort}/readyz`);
  if (!response.ok) throw new Error(`/readyz: ${response.status} ${await response.text()}`);
}

async function answers(host: string, port: number): Promise<void> {
  const socket = connect({ host, port });
  await once(socket, 'connect').finally(() => socket.destroy());
}
