import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { File } from '@webkiln/contract';
import { isPage, withTracker } from '../html/tracker.ts';

interface TrackedPage {
  /** The page it was made of, with its own size and SHA-256. */
  readonly file: File;
  readonly content: Uint8Array;
}

/**
 * The pages of a tree with what counts their visits, by the SHA-256 of the page as it is. Contents in their own right: what is prepared,
 * cached and told apart by its SHA-256 is the page that visitors get.
 */
export async function trackedPages(
  tree: readonly File[],
  contentOf: (file: File) => Promise<Uint8Array> | Uint8Array,
): Promise<Map<string, TrackedPage>> {
  const made = new Map<string, TrackedPage>();
  for (const page of new Map(tree.filter(isPage).map((file) => [file.sha256, file])).values()) {
    const { buffer, byteOffset, byteLength } = await contentOf(page);
    const content = withTracker(Buffer.from(buffer, byteOffset, byteLength));
    if (content !== undefined)
      made.set(page.sha256, { file: { ...page, size: content.byteLength, sha256: hash('sha256', content) }, content });
    // Others have their turn between two pages.
    await nextTurn();
  }
  return made;
}
