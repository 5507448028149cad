import { statfsSync } from 'node:fs';
import type { Report } from '../report.ts';

/** A full file system, a quota, and a limit of the size of files. */
const noRoom: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const mb = 1_048_576;
/** Below this stores fail soon; they go on once there is twice as much. */
const minFreeBytes = 16 * mb;
const needed = '500 MB';
const pollMs = 2000;

export const isOutOfRoom = (error: unknown): boolean => noRoom.has((error as NodeJS.ErrnoException | null)?.code);

/**
 * The disk of the data folder, which people fill. While it is full the stores refuse what they cannot keep, so that
 * nothing acknowledged is lost, and everything else goes on; what it says in between is not logged.
 */
export class DiskSpace {
  readonly #folder: string;
  readonly #report: Report;
  readonly #onRoom: () => void;
  #isFull = false;
  /** The write that failed last: it tells whether there is room again. */
  #failed: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onRoom` is called when a full disk has room again. */
  constructor(folder: string, report: Report, onRoom: () => void) {
    this.#folder = folder;
    this.#report = report;
    this.#onRoom = onRoom;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), pollMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Runs a write of something that can be missed. Throws what is no lack of room. */
  spare(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!isOutOfRoom(error)) throw error;
      this.#failed = write;
      this.#full();
    }
  }

  #look(): void {
    const free = freeBytes(this.#folder);
    if (free < minFreeBytes) this.#full();
    if (!this.#isFull || free < 2 * minFreeBytes) return;
    const failed = this.#failed;
    this.#failed = undefined;
    if (failed !== undefined) this.spare(failed);
    if (this.#failed !== undefined) return;
    this.#isFull = false;
    this.#report('disk', `has room again at ${this.#folder}: everything goes on`);
    this.#onRoom();
  }

  #full(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    const text = `is full at ${this.#folder}: new data is refused and logs are not written until it has room again. What was acknowledged is kept. Free at least ${needed} there`;
    this.#report('disk', text, 'error');
  }
}

/** What may be written into a folder. */
function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
