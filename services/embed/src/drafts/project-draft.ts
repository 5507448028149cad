import { AppError } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { call, type IncomingReply, type RequestOf } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';

/**
 * The draft of a project as a turn sees and changes it. The calls go in the name of `embed` for the user of `caller`,
 * who reaches its own projects only: others are `project_not_found`.
 */
export const readDraft = (project_id: string, caller: Caller): Promise<IncomingReply<'projects.ReadDraft'>> =>
  call('projects.ReadDraft', { project_id }, onBehalf('embed', caller));

/**
 * Shows the difference in previews, or with `commit` makes it the draft. Throws `edited_meanwhile`, `quota_exceeded`.
 */
export const writeTurn = (difference: RequestOf<'projects.WriteTurn'>, caller: Caller): Promise<IncomingReply<'projects.WriteTurn'>> =>
  call('projects.WriteTurn', difference, onBehalf('embed', caller));

/** Previews show the draft again. */
export const dropTurn = (project_id: string, turn_id: string, caller: Caller): Promise<unknown> =>
  call('projects.DropTurn', { project_id, turn_id }, onBehalf('embed', caller));

/** Throws `project_not_found` unless the caller may read the project. */
export async function assertProjectReadable(project_id: string, caller: Caller): Promise<void> {
  await call('projects.GetProject', { project_id }, onBehalf('embed', caller));
}

/** The content of a file of the draft. */
export async function readFile(project_id: string, path: string, caller: Caller): Promise<Uint8Array> {
  return (await call('projects.GetProjectFile', { project_id, path, max_bytes: 0 }, onBehalf('embed', caller))).content;
}

/** Throws `picture_not_found` unless the project has all these pictures. */
export async function assertPictures(project_id: string, ids: readonly string[], caller: Caller): Promise<void> {
  if (ids.length === 0) return;
  const { pictures } = await call('projects.ListPictures', { project_id }, onBehalf('embed', caller));
  const known = new Set(pictures.map(({ id }) => id));
  if (!ids.every((id) => known.has(id))) throw new AppError('picture_not_found');
}

/** Shows what a turn has written so far: one write at a time, and one more if files changed meanwhile. */
export class DraftPreview {
  readonly #show: () => Promise<void>;
  #showing: Promise<void> | undefined;
  #isStale = false;

  constructor(show: () => Promise<void>) {
    this.#show = show;
  }

  changed(): void {
    this.#isStale = true;
    this.#showing ??= this.#run().finally(() => {
      this.#showing = undefined;
    });
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    this.#isStale = false;
    await this.#showing;
  }

  async #run(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      try {
        await this.#show();
      } catch (err) {
        logger.warn({ err }, 'preview update failed; the commit will show all files');
        return;
      }
    }
  }
}
