export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

const contextLines = 3;
/** Lines before times lines after, beyond which comparing would hold up the page. */
const maxCells = 4_000_000;

/** The lines of two texts that differ, with a few around them; undefined if they are too many to compare. */
export function diffLines(before: string, after: string): readonly DiffLine[] | undefined {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const [a, b] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  if (a.length * b.length > maxCells) return undefined;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(old.slice(Math.max(0, start - contextLines), start)),
    ...compare(a, b),
    ...same(old.slice(old.length - end, old.length - end + contextLines)),
  ];
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** By the longest common subsequence of lines. */
function compare(a: readonly string[], b: readonly string[]): DiffLine[] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) lines.push({ kind: 'removed', text: a[i++] ?? '' });
    else lines.push({ kind: 'added', text: b[j++] ?? '' });
  }
  return lines;
}
