import { hash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { File } from '@webkiln/contract';
import { isPage, withTracker } from '../html/tracker.ts';

type ContentOf = (file: File) => Promise<Uint8Array> | Uint8Array;

export interface TrackedPage {
  /** The original page, with the size and SHA-256 of the tracked one. */
  readonly file: File;
  readonly content: Uint8Array;
}

/**
 * Inserts the tracker into the pages of a tree, and `siteOrigin` before the paths of their link pictures. Keys are the
 * SHA-256 of the original pages. A tracked page is a content of its own: encodings, caches and ETags go by its SHA-256.
 */
export async function buildTrackedPages(
  tree: readonly File[],
  siteOrigin: string,
  contentOf: ContentOf,
): Promise<Map<string, TrackedPage>> {
  const tracked = new Map<string, TrackedPage>();
  const stated = await statedHashes(tree, contentOf);
  for (const page of new Map(tree.filter(isPage).map((file) => [file.sha256, file])).values()) {
    const { buffer, byteOffset, byteLength } = await contentOf(page);
    const original = Buffer.from(buffer, byteOffset, byteLength);
    const content = stated.size > 0 && isStated(original, stated) ? undefined : await withTracker(original, siteOrigin);
    if (content !== undefined)
      tracked.set(page.sha256, { file: { ...page, size: content.byteLength, sha256: hash('sha256', content) }, content });
    await nextTick(); // keeps other requests responsive
  }
  return tracked;
}

/** The lists of service workers that compare what they load with a hash: Angular's, and Blazor's. */
const listsHashes = /(?:^|\/)(?:ngsw\.json|service-worker-assets\.js)$/;
const maxListBytes = 4 * 1024 * 1024;
/** In hexadecimal or base64: SHA-1 and longer. */
const hashText = /[0-9A-Za-z+/]{40,88}={0,2}|[0-9A-Za-z+/]{27}=/g;

/** A page whose hash such a list states keeps its bytes: the service worker would refuse another page. */
async function statedHashes(tree: readonly File[], contentOf: ContentOf): Promise<ReadonlySet<string>> {
  const stated = new Set<string>();
  for (const list of tree.filter(({ path, size }) => listsHashes.test(path) && size <= maxListBytes)) {
    for (const [found] of new TextDecoder().decode(await contentOf(list)).matchAll(hashText)) stated.add(found);
  }
  return stated;
}

const isStated = (page: Buffer, stated: ReadonlySet<string>): boolean =>
  ['sha1', 'sha256', 'sha384', 'sha512'].some((algorithm) => {
    const digest = hash(algorithm, page, 'buffer');
    return stated.has(digest.toString('hex')) || stated.has(digest.toString('base64'));
  });
