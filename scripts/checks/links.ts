/** Prints each link in Markdown that leads to no file or heading, and each package without a README. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const inRepository = (file: string) => existsSync(path.join(root, file));

/** The files of a name that git does not ignore, also before they are added. */
function filesNamed(glob: string): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', `:(glob)**/${glob}`];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && inRepository(file));
}

const fence = /^\s*(`{3,}|~{3,})/;

/** The lines of a Markdown file; those of blocks of code are empty. */
function linesOf(file: string): string[] {
  let open: string | undefined;
  return readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .map((line) => {
      const [, mark] = fence.exec(line) ?? [];
      if (mark !== undefined && (open ?? mark) === mark) open = open === undefined ? mark : undefined;
      else if (open === undefined) return line;
      return '';
    });
}

/** The anchors of a file's headings, as forges and the docs site make them: the second "Notes" is `notes-1`. */
function anchorsIn(file: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const anchors = linesOf(file).flatMap((line) => {
    const [, heading] = /^#{1,6} (.*)$/.exec(line) ?? [];
    if (heading === undefined) return [];
    const text = heading
      .replaceAll(/\]\([^)\s]*\)/g, '')
      .trim()
      .toLowerCase();
    const anchor = text.replaceAll(/[^\p{L}\p{M}\p{N} _-]/gu, '').replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(anchors);
}

/** What is wrong with a link in a file; undefined if it leads somewhere, or to another host. */
function problemOf(file: string, target: string): string | undefined {
  if (/^(?:https?|mailto):/.test(target)) return undefined;
  const [name = '', anchor] = target.split('#');
  const led = name === '' ? file : path.join(path.dirname(file), name);
  if (!inRepository(led)) return `${target} leads to no file`;
  return anchor !== undefined && led.endsWith('.md') && !anchorsIn(led).has(anchor) ? `${target} leads to no heading` : undefined;
}

const links = filesNamed('*.md').flatMap((file) =>
  linesOf(file).flatMap((line, at) =>
    [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      const problem = problemOf(file, target);
      return problem === undefined ? [] : `${file}:${at + 1}: ${problem}`;
    }),
  ),
);
const silent = filesNamed('package.json')
  .map((file) => path.join(path.dirname(file), 'README.md'))
  .filter((readme) => !inRepository(readme))
  .map((readme) => `${readme} is missing: what the package is for, and where to begin reading`);
const findings = [...links, ...silent];
console.log(findings.join('\n'));
process.exitCode = findings.length === 0 ? 0 : 1;
