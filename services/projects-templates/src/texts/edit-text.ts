import { isUtf8 } from 'node:buffer';
import { specificationPath, type TypedText } from '@webkiln/composer';
import { AppError, type File } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { logger, WorkerPool } from '@webkiln/runtime';
import { hasText } from '../drafts/read-drafts.ts';
import { currentRevision, toRevision } from '../drafts/revision.ts';
import { filesOf } from '../files/manifest-store.ts';
import { readSmallContents } from '../files/read-contents.ts';
import { storeDifference } from '../files/store-files.ts';
import { writeRevision } from '../project-files/write-draft.ts';
import type { TextEdit } from './text-worker.ts';

/** No real page takes as long. */
const maxEditMs = 2_000;
const maxShownLength = 80;
const program = new URL('./text-worker.ts', import.meta.url);
type Changed = ReadonlyMap<string, string> | undefined;

/** Threads start with the first edit. */
const threads = new WorkerPool<TextEdit, Changed>({ program, threads: 2, maxHeapMb: 128, timeoutMs: maxEditMs });
export const closeTextThreads = () => threads.close();

/** A lost race reads the draft again: the text that was typed over must still be there. */
export const editText = handle('projects.EditText', async ({ project_id, page, at, before, text }, caller) => {
  const typed = { page, at, before, text: text.replace(/\s+/g, ' ').trim() };
  const { project } = await writeRevision(caller, project_id, {
    origin: 'edit',
    etag: () => undefined,
    async store(owner, { draft_manifest_id }) {
      const changed = await edited(typed, await filesOf(owner, draft_manifest_id), owner.org_id);
      const written = [...changed].map(([path, content]) => ({ path, content: Buffer.from(content) }));
      const stored = await storeDifference(owner, { written, deleted: [] }, draft_manifest_id);
      return { ...stored, title: `Changed “${shortened(before)}” to “${shortened(typed.text)}”` };
    },
  });
  const revision = currentRevision(project);
  if (revision === undefined) throw new AppError('file_not_found');
  return { revision: toRevision(revision, project) };
});

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxShownLength ? `${line.slice(0, maxShownLength - 1)}…` : line;
};

/** The files that the edit changes. Throws `file_not_found`, `text_not_there`. */
async function edited(typed: TypedText, tree: readonly File[], org_id: string): Promise<ReadonlyMap<string, string>> {
  const page = tree.find(({ path }) => path === typed.page);
  if (page === undefined) throw new AppError('file_not_found');
  if (!page.content_type.startsWith('text/html') || !hasText(page)) throw new AppError('text_not_there');
  // What a site is made of is needed where it is known; else the page alone.
  const isComposed = tree.some(({ path }) => path === specificationPath);
  const needed = isComposed ? tree.filter(hasText) : [page];
  const contents = await readSmallContents({ org_id }, needed);
  const files = new Map<string, string>();
  for (const { path, sha256 } of needed) {
    const content = contents.get(sha256) ?? new Uint8Array();
    if (isUtf8(content)) files.set(path, new TextDecoder('utf-8', { ignoreBOM: true }).decode(content));
  }
  const changed = await inThread(org_id, { files, typed });
  if (changed === undefined) throw new AppError('text_not_there');
  return changed;
}

/** A page that takes too long to read is one whose texts cannot be changed like this. */
async function inThread(org_id: string, edit: TextEdit): Promise<Changed> {
  try {
    return await threads.run(org_id, edit);
  } catch (err) {
    logger.warn({ err, page: edit.typed.page }, 'a text was not edited: its page could not be read in time; the caller is told');
    return undefined;
  }
}
