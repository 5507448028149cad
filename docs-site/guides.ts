import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { addressOf, base, type Group, type Page } from './page.ts';

const root = path.resolve(import.meta.dirname, '..');
const docs = path.join(root, 'docs');

/** The page of `docs/<name>.md`; an empty list if there is none. */
export function guide(name: string): Page[] {
  const file = path.join(docs, `${name}.md`);
  if (!existsSync(file)) return [];
  const [heading = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  if (!heading.startsWith('# ')) throw new Error(`docs/${name}.md does not begin with its title`);
  const text = rest.join('\n').trim();
  return [
    { path: pathOf(name), title: heading.slice(2), description: firstSentence(text), markdown: withAddresses(text, path.dirname(name)) },
  ];
}

/** The names of guides besides these. */
export const otherGuides = (named: ReadonlySet<string>): string[] =>
  globSync('*.md', { cwd: docs })
    .map((file) => path.basename(file, '.md'))
    .filter((name) => !named.has(name))
    .sort();

export const decisions = (): Group => ({
  label: 'Decisions',
  items: [
    'decisions/README',
    ...globSync('decisions/[0-9]*.md', { cwd: docs })
      .sort()
      .map((file) => file.replace(/\.md$/, '')),
  ].flatMap(guide),
});

/** Files that guides show, by their path in the site. */
export const exampleFiles = (): ReadonlyMap<string, string> =>
  new Map(globSync('examples/**/*.*', { cwd: root, exclude: ['**/node_modules', '**/.*'] }).map((file) => [file, path.join(root, file)]));

const pathOf = (name: string) => name.replace(/(?:^|\/)README$/, '');

/** Links between files become addresses; what is no part of the site keeps its name alone. */
function withAddresses(text: string, folder: string): string {
  return text.replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, label: string, target: string) => {
    if (/^(?:https?:|mailto:|#|\/)/.test(target)) return whole;
    const [file = '', anchor] = target.split('#');
    const inDocs = path.posix.join(folder, file);
    const at = anchor === undefined ? '' : `#${anchor}`;
    if (/^(?:decisions\/)?[\w-]+\.md$/.test(inDocs)) return `[${label}](${addressOf(pathOf(inDocs.slice(0, -'.md'.length)))}${at})`;
    if (inDocs === 'openapi.json') return `[${label}](/openapi.json)`;
    const inRoot = path.posix.join('docs', inDocs);
    if (/^examples\/.+\.\w+$/.test(inRoot)) return `[${label}](${base}/${inRoot})`;
    return label.includes('`') ? label : `${label} (\`${inRoot}\`)`;
  });
}

const maxDescription = 200;

/** The first sentence of prose, without its markup. */
function firstSentence(text: string): string {
  const paragraph = text.split(/\n\s*\n/).find((each) => /^[A-Za-z`*[]/.test(each)) ?? '';
  const plain = paragraph
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '');
  const [sentence = ''] = /^.*?[.:!?](?= |$)/.exec(plain) ?? [plain];
  return sentence.length > maxDescription ? `${sentence.slice(0, maxDescription - 1)}…` : sentence.replace(/:$/, '.');
}
