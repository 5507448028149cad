import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { OperatorError } from '../operator-error.ts';
import type { DatedBackup } from './dated-backups.ts';

/** The same for each machine that backs up: a CronJob's pod has another name each night. */
const host = ['--host', 'webkiln'];

const Snapshots = z.array(z.object({ id: z.string(), time: z.string(), paths: z.array(z.string()) }));

/**
 * Backups of one platform in a repository of restic ("s3:https://s3.example.com/bucket/webkiln"), encrypted before they
 * leave this machine. restic reads its password and the credentials of the repository from the environment.
 */
export class Repository {
  readonly #url: string;
  readonly #ours: readonly string[];

  /** `prefix` is that of the platform's databases: several platforms may share a repository. */
  constructor(url: string, prefix: string) {
    if (!process.env.RESTIC_PASSWORD && !process.env.RESTIC_PASSWORD_FILE)
      throw new OperatorError('Set RESTIC_PASSWORD_FILE or RESTIC_PASSWORD: backups are encrypted with it, and lost without it.');
    this.#url = url;
    this.#ours = [...host, '--tag', prefix];
  }

  /** Sends a complete backup, then forgets all of the platform but the last `keep`. The first makes the repository. */
  async send(folder: string, keep: number | undefined): Promise<void> {
    await this.#restic(['cat', 'config']).catch(() => this.#restic(['init']));
    await this.#restic(['backup', ...this.#ours, '.'], folder);
    if (keep !== undefined)
      await this.#restic(['forget', ...this.#ours, '--group-by', 'host,tags', '--keep-last', String(keep), '--prune']);
  }

  /** Oldest first. */
  async list(): Promise<(DatedBackup & { readonly id: string })[]> {
    const snapshots = Snapshots.parse(JSON.parse(await this.#restic(['snapshots', ...this.#ours, '--json'])));
    return snapshots.map(({ id, time, paths: [folder = ''] }) => ({ id, name: path.basename(folder), taken_at: time }));
  }

  /** Runs `use` with a folder that holds the backup of this name, or the last one for "latest"; then it is gone. */
  async withBackup<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
    const backups = await this.list();
    const found = name === 'latest' ? backups.at(-1) : backups.findLast((backup) => backup.name === name);
    if (found === undefined) throw new OperatorError(`There is no backup ${name} in ${this.#url}.`);
    const folder = await mkdtemp(path.join(tmpdir(), 'webkiln-restore-'));
    try {
      await this.#restic(['restore', found.id, '--target', folder]);
      return await use(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  /** What restic prints. Throws the last line of what it says of a failure. */
  async #restic(words: readonly string[], cwd?: string): Promise<string> {
    const env = { ...process.env, RESTIC_REPOSITORY: this.#url };
    const child = spawn(process.env.RESTIC_PATH ?? 'restic', [...words, '--no-cache'], {
      ...{ env, stdio: ['ignore', 'pipe', 'pipe'] },
      ...(cwd !== undefined && { cwd }),
    });
    const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]).catch((error: unknown) => {
      throw new OperatorError('restic cannot be run: install it (https://restic.net), or set RESTIC_PATH.', { cause: error });
    });
    if (code === 0) return out;
    throw new OperatorError(`restic ${words[0]} failed: ${err.trim().split('\n').at(-1)}`);
  }
}
