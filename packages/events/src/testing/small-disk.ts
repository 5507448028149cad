import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '@webkiln/store/testing';

/** Root needs no user of its own to mount; others do, where the system lets them. */
const namespaces = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
const blockBytes = 64 * 1024;

const mounting = (folder: string, mb: number) => `mount -t tmpfs -o size=${mb}m tmpfs ${folder}`;

/** True where `SmallDisk.mount` works: on Linux, unless a container forbids it. */
export function canMountDisks(): boolean {
  return spawnSync('unshare', [...namespaces, 'sh', '-c', mounting(tmpdir(), 1)], { stdio: 'ignore' }).status === 0;
}

/** A file system of a few megabytes that only processes started with `entering` see. It ends with `remove`. */
export class SmallDisk {
  /** Where those processes see it. */
  readonly folder: string;
  readonly #holder: ChildProcess;

  private constructor(folder: string, holder: ChildProcess) {
    this.folder = folder;
    this.#holder = holder;
  }

  static async mount(mb: number): Promise<SmallDisk> {
    const folder = mkdtempSync(path.join(tmpdir(), 'disk-'));
    const holder = spawn('unshare', [
      ...namespaces,
      'sh',
      '-c',
      `${mounting(folder, mb)} && touch ${folder}/mounted && exec sleep infinity`,
    ]);
    const disk = new SmallDisk(folder, holder);
    await until(() => spawnSync('test', ['-e', disk.#seen('mounted')]).status === 0);
    return disk;
  }

  /** The start of a command line that runs the rest where the disk is mounted. */
  get entering(): readonly string[] {
    const entered = namespaces.includes('--user') ? ['--user', '--preserve-credentials', '--mount'] : ['--mount'];
    return ['nsenter', '--target', `${this.#holder.pid}`, ...entered];
  }

  /** Takes all space that is left, or that becomes free meanwhile. */
  fill(): void {
    try {
      for (;;) writeFileSync(this.#seen('ballast'), Buffer.alloc(blockBytes), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  /** Gives the space back. */
  empty(): void {
    rmSync(this.#seen('ballast'), { force: true });
  }

  /** Programs that run there must have ended. */
  async remove(): Promise<void> {
    this.#holder.kill('SIGKILL');
    await once(this.#holder, 'exit');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #seen(file: string): string {
    return `/proc/${this.#holder.pid}/root${this.folder}/${file}`;
  }
}
