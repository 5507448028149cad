import { structuredPatch } from 'diff';
import { history as t } from '../texts/history.ts';

interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

/** Beyond these, comparing would hold up the page. */
const bounds = { maxEditLength: 4_000, timeout: 500 };
const context = 3;
const kinds: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'same', '+': 'added', '-': 'removed' };
const marks = { same: ' ', added: '+', removed: '−', gap: '⋯' };

/** The lines of two texts that differ, with a few around them; undefined if they are too many to compare. */
function diffLines(before: string, after: string): readonly DiffLine[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context, ...bounds });
  return patch?.hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : [{ kind: 'gap', text: '' } as const]),
    ...lines.flatMap((line) => {
      const kind = kinds[line[0] ?? ''];
      return kind === undefined ? [] : { kind, text: line.slice(1) };
    }),
  ]);
}

/** What differs between two texts of a file, line by line. */
export function Lines({ path, before, after }: { path: string; before: string; after: string }) {
  const lines = diffLines(before, after);
  if (lines === undefined) return <p className="empty soft">{t.tooLarge}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="code" tabIndex={0} aria-label={t.content({ path })}>
      <pre>
        {lines.map(({ kind, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
          <span key={at} className={`line ${kind}`}>
            {marks[kind]} {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  );
}
