import { hash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { File } from '@webkiln/contract';
import { isPage, withTracker } from '../html/tracker.ts';

interface TrackedPage {
  /** The original page, with the size and SHA-256 of the tracked one. */
  readonly file: File;
  readonly content: Uint8Array;
}

/**
 * Inserts the tracker into the pages of a tree. Keys are the SHA-256 of the original pages. A tracked page is a content
 * of its own: encodings, caches and ETags go by its own SHA-256.
 */
export async function buildTrackedPages(
  tree: readonly File[],
  contentOf: (file: File) => Promise<Uint8Array> | Uint8Array,
): Promise<Map<string, TrackedPage>> {
  const tracked = new Map<string, TrackedPage>();
  for (const page of new Map(tree.filter(isPage).map((file) => [file.sha256, file])).values()) {
    const { buffer, byteOffset, byteLength } = await contentOf(page);
    const content = await withTracker(Buffer.from(buffer, byteOffset, byteLength));
    if (content !== undefined)
      tracked.set(page.sha256, { file: { ...page, size: content.byteLength, sha256: hash('sha256', content) }, content });
    await nextTick(); // keeps other requests responsive
  }
  return tracked;
}
