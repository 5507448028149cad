import { hashOf } from '../render/render-site.ts';
import type { Site } from '../site.ts';
import { merge } from './merge.ts';

type Files = ReadonlyMap<string, string | Uint8Array>;

export interface MergedFiles {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Files that somebody changed at the very place that the edit wants to change: they are as they were. */
  readonly blocked: readonly string[];
  /** True if any file is another one than before. */
  readonly hasChanged: boolean;
}

/** The next content of one file; undefined if it cannot be merged and stays. */
function nextContent(path: string, current: string | Uint8Array, before: string | undefined, after: string): string | undefined {
  if (before === after) return typeof current === 'string' ? current : undefined;
  if (typeof current !== 'string' || before === undefined) return undefined;
  const { text, hasConflict } = merge(before, current, after);
  // Half a change is worse than none in a page; in a style sheet each declaration stands for itself.
  if (!hasConflict) return text;
  return path.endsWith('.css') && text !== current ? text : undefined;
}

/**
 * Puts newly rendered files over those of the site. A file that differs from what was rendered for it was changed
 * by hand, or by a
 * model: the change stays, and the edit is merged into it. Files of others are left alone; a rendered file that is
 * missing is back.
 */
export function keepChanges(
  site: Site,
  files: Files,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): MergedFiles {
  const merged = new Map(files);
  const blocked: string[] = [];
  let hasChanged = false;
  for (const path of before.keys()) if (!after.has(path)) hasChanged = merged.delete(path) || hasChanged;
  for (const [path, content] of after) {
    const current = files.get(path);
    const isOurs = current === undefined || (site.hashes[path] !== undefined && hashOf(current) === site.hashes[path]);
    const next = isOurs ? content : nextContent(path, current, before.get(path), content);
    if (next === undefined) {
      if (before.get(path) !== content) blocked.push(path);
      continue;
    }
    merged.set(path, next);
    hasChanged ||= next !== current;
  }
  return { files: merged, blocked, hasChanged };
}
