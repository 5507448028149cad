import { placeholdersOf } from '../placeholders.ts';
import { hashOf, renderFiles, specificationFile, withHashes } from '../render/render-site.ts';
import type { Site } from '../site.ts';

type Files = ReadonlyMap<string, string | Uint8Array>;

interface MergedFiles {
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
function keepChanges(site: Site, files: Files, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): MergedFiles {
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

/** Renders a changed site over the files of the one before. */
export function applyChange(
  options: { readonly site: Site; readonly files: ReadonlyMap<string, string | Uint8Array> },
  change: Site,
): {
  readonly site: Site;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly blocked: readonly string[];
  readonly hasChanged: boolean;
} {
  const next = { ...change, placeholders: placeholdersOf(change) };
  const after = renderFiles(next);
  const site = withHashes(next, after);
  const { files, blocked, hasChanged } = keepChanges(options.site, options.files, renderFiles(options.site), after);
  return { site, files: new Map([...files, specificationFile(site)]), blocked, hasChanged };
}

/**
 * Beyond this many lines between the first and the last change, texts are not compared: time and memory stay
 * bounded.
 */
const maxCompared = 1500;

/** A change of `base`: its lines from `from` to before `to` become `lines`. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * The changes that make `other` of `base`, by the longest common subsequence; undefined if they are too large to
 * compare.
 */
function hunksOf(base: readonly string[], other: readonly string[]): Hunk[] | undefined {
  let start = 0;
  while (start < base.length && start < other.length && base[start] === other[start]) start += 1;
  let end = 0;
  while (end < base.length - start && end < other.length - start && base[base.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const [one, two] = [base.slice(start, base.length - end), other.slice(start, other.length - end)];
  if (one.length > maxCompared || two.length > maxCompared) return undefined;
  const width = two.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1) {
      const [down, right] = [lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0];
      lengths[i * width + j] = one[i] === two[j] ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(down, right);
    }
  }
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < two.length) {
    const [fromI, fromJ] = [i, j];
    while ((i < one.length || j < two.length) && (i >= one.length || j >= two.length || one[i] !== two[j])) {
      if (j >= two.length || (i < one.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))) i += 1;
      else j += 1;
    }
    if (i > fromI || j > fromJ) hunks.push({ from: start + fromI, to: start + i, lines: two.slice(fromJ, j) });
    while (i < one.length && j < two.length && one[i] === two[j]) [i, j] = [i + 1, j + 1];
  }
  return hunks;
}

const meet = (one: Hunk, two: Hunk) => one.from <= two.to && two.from <= one.to;
const same = (one: Hunk, two: Hunk) => one.from === two.from && one.to === two.to && one.lines.join('\n') === two.lines.join('\n');

/**
 * Merges two texts that come from `base`, line by line (the algorithm of diff3). Where both changed the same
 * place, `ours` stays and
 * `hasConflict` is true.
 */
function merge(base: string, ours: string, theirs: string): { readonly text: string; readonly hasConflict: boolean } {
  const lines = base.split('\n');
  const [kept, wished] = [hunksOf(lines, ours.split('\n')), hunksOf(lines, theirs.split('\n'))];
  if (kept === undefined || wished === undefined) return { text: ours, hasConflict: base !== theirs };
  const fresh = wished.filter((hunk) => !kept.some((other) => same(hunk, other)));
  const clear = fresh.filter((hunk) => !kept.some((other) => meet(hunk, other)));
  const merged = [...lines];
  for (const { from, to, lines: changed } of [...kept, ...clear].toSorted((one, two) => two.from - one.from || two.to - one.to)) {
    merged.splice(from, to - from, ...changed);
  }
  return { text: merged.join('\n'), hasConflict: clear.length < fresh.length };
}
