import type { File } from '@webkiln/contract';
import { noRules, rulesPaths, type SiteRules } from '@webkiln/site-rules';
import { maxFileBytes, parseRules, type Warning } from '@webkiln/site-rules/parse';
import type { Tenant } from '@webkiln/store';
import { LRUCache } from 'lru-cache';
import { readContent } from '../files/read-contents.ts';

interface ReadRules {
  readonly rules: SiteRules;
  /** What the files say and is not done. */
  readonly warnings: readonly Warning[];
}

const without: ReadRules = { rules: noRules, warnings: [] };
/** Bytes of the files that the rules were read from; in memory they take some ten times as much. */
const maxCachedBytes = 4 * 1024 * 1024;
const cached = new LRUCache<string, Promise<ReadRules>>({ maxSize: maxCachedBytes });

/**
 * What `_redirects` and `_headers` of a tree say. They belong to the tree, so a rollback brings those of its deploy
 * back. Read once for the same contents.
 */
export function siteRules({ org_id }: Tenant, tree: readonly File[]): Promise<ReadRules> {
  const redirects = tree.find(({ path }) => path === rulesPaths.redirects);
  const headers = tree.find(({ path }) => path === rulesPaths.headers);
  if (redirects === undefined && headers === undefined) return Promise.resolve(without);
  const key = [org_id, redirects?.sha256, headers?.sha256].join(' ');
  const known = cached.get(key);
  if (known !== undefined) return known;
  const contentOf = async (file?: File) =>
    file && (file.size > maxFileBytes ? new Uint8Array(maxFileBytes + 1) : readContent({ org_id }, file));
  const reading = Promise.all([contentOf(redirects), contentOf(headers)]).then((contents) => {
    const [ofRedirects, ofHeaders] = contents;
    return parseRules({ redirects: ofRedirects, headers: ofHeaders });
  });
  const bytes = Math.min(maxFileBytes, redirects?.size ?? 0) + Math.min(maxFileBytes, headers?.size ?? 0);
  cached.set(key, reading, { size: Math.max(1, bytes) });
  reading.catch(() => cached.delete(key));
  return reading;
}
