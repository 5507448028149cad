/**
 * The texts that people read: `<part>/src/texts/<language>/<area>.json` in i18next's JSON v4, English first.
 * `writeTextTypes` writes the types of the English ones to `<part>/gen/texts.ts`. `--check` fails unless every language
 * has every text with the same placeholders and the plural forms that it needs, and each text is used.
 */
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');
const english = 'en';
const pluralForm = /_(zero|one|two|few|many|other)$/;

interface Tree {
  readonly [key: string]: string | Tree;
}

interface Part {
  /** Relative to the repository: "services/identity". */
  readonly home: string;
  /** The names of its areas: "mails". */
  readonly areas: readonly string[];
}

const parts = (): Part[] =>
  globSync('{dashboard,gateway,services/*,packages/*}/src/texts/en', { cwd: root })
    .toSorted()
    .map((folder) => ({
      home: folder.replace('/src/texts/en', ''),
      areas: readdirSync(path.join(root, folder)).map((file) => path.basename(file, '.json')),
    }));

const folderOf = ({ home }: Part) => path.join(root, home, 'src/texts');
const read = (part: Part, language: string, area: string): Tree =>
  JSON.parse(readFileSync(path.join(folderOf(part), language, `${area}.json`), 'utf8'));

/** Every text by its path: "projects.title". */
const leaves = (tree: Tree, at = ''): [path: string, text: string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${at}${key}`, value] as [string, string]] : leaves(value, `${at}${key}/`),
  );

/** What `packages/texts` reads, of what i18next's format offers. */
const placeholder = /\{\{(\w+)(?:, (number|list))?\}\}/g;
const placeholders = (text: string) => [...text.matchAll(placeholder)].map(([, name = '', format = '']) => ({ name, format }));
const isBroken = (text: string) => /\{\{|\}\}|\$t\(/.test(text.replaceAll(placeholder, ''));

const typeOf: Readonly<Record<string, string>> = { number: 'number', list: 'readonly string[]' };

/** A text without placeholders is a string, any other a function of their values. */
function typeOfText(forms: readonly string[], isPlural: boolean): string {
  const values = new Map(forms.flatMap(placeholders).map(({ name, format }) => [name, typeOf[format] ?? 'string'] as const));
  if (isPlural) values.set('count', 'number');
  if (values.size === 0) return 'string';
  return `(values: { ${[...values].map(([name, type]) => `readonly ${name}: ${type}`).join('; ')} }) => string`;
}

function typeOfTree(tree: Tree): string {
  if (Array.isArray(tree)) return `readonly [${tree.map(() => 'string').join(', ')}]`;
  const names = new Set(Object.keys(tree).map((key) => (typeof tree[key] === 'string' ? key.replace(pluralForm, '') : key)));
  const members = [...names].map((name) => {
    const value = tree[name];
    if (typeof value === 'object') return `readonly ${JSON.stringify(name)}: ${typeOfTree(value)}`;
    const forms = Object.entries(tree).flatMap(([key, text]) =>
      key.replace(pluralForm, '') === name && typeof text === 'string' ? [text] : [],
    );
    return `readonly ${JSON.stringify(name)}: ${typeOfText(forms, value === undefined)}`;
  });
  return `{ ${members.join('; ')} }`;
}

const pascal = (area: string) => area.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());

export function writeTextTypes(): void {
  for (const part of parts()) {
    const types = part.areas.map((area) => `export type ${pascal(area)}Texts = ${typeOfTree(read(part, english, area))};\n`);
    mkdirSync(path.join(root, part.home, 'gen'), { recursive: true });
    writeFileSync(path.join(root, part.home, 'gen/texts.ts'), types.join('\n'));
  }
}

/** What a language lacks of an area, or has too much. */
function problemsOf(part: Part, language: string, area: string): string[] {
  const known = new Map(leaves(read(part, english, area)));
  const given = new Map(leaves(read(part, language, area)));
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const wanted = new Set(
    [...known.keys()].flatMap((key) => (key.endsWith('_other') ? forms.map((form) => key.replace(pluralForm, `_${form}`)) : [key])),
  );
  // A form that the language has not, such as `_one` of English, needs none.
  for (const key of known.keys())
    if (/_(one|two|few|many)$/.test(key) && !forms.includes(key.replace(/.*_/, '') as Intl.LDMLPluralRule)) wanted.delete(key);
  const holes = (text: string) => new Set(placeholders(text).map(({ name, format }) => `${name} ${format}`));
  const likeEnglish = (key: string, text: string) => {
    const expected = holes(known.get(key) ?? known.get(key.replace(pluralForm, '_other')) ?? '');
    // "One file" needs no number.
    const isForm = /_(zero|one|two)$/.test(key);
    return isForm
      ? holes(text).isSubsetOf(expected.union(holes('{{count, number}}')))
      : holes(text).symmetricDifference(expected).size === 0;
  };
  const where = `${part.home}/src/texts/${language}/${area}.json`;
  return [
    ...[...wanted].filter((key) => !given.has(key)).map((key) => `${where} lacks ${key}`),
    ...[...given.keys()].filter((key) => !wanted.has(key)).map((key) => `${where} has ${key}, which English has not`),
    ...[...given]
      .filter(([key, text]) => wanted.has(key) && !likeEnglish(key, text))
      .map(([key]) => `${where} has other placeholders in ${key}`),
    ...[...given]
      .filter(([, text]) => text.trim() === '' || isBroken(text))
      .map(([key]) => `${where} has no text that can be read in ${key}`),
  ];
}

/** The paths that the sources name, such as "projects/statuses": by `texts`, or by a constant that is a part of it. */
function usedPaths({ home }: Part): Set<string> {
  const used = new Set<string>();
  for (const file of globSync(`${home}/src/**/*.{ts,tsx}`, { cwd: root })) {
    const source = readFileSync(path.join(root, file), 'utf8');
    const names: [name: string, at: string][] = [
      ['texts', ''],
      ['pageTexts', ''],
      ['invoiceTexts', ''],
    ];
    const constants = /const (\w+) = (?:texts|pageTexts|invoiceTexts)(?:\[[^\]]*\])?((?:\.\w+)*);/g;
    for (const [, name = '', at = ''] of source.matchAll(constants)) names.push([name, at.replaceAll('.', '/').slice(1)]);
    for (const [, at = '', name = ''] of source.matchAll(/import \{ (\w+) as (\w+) \} from '[./]+\/texts\/[\w-]+\.ts'/g))
      names.push([name, at]);
    for (const [, at = ''] of source.matchAll(/import\('[./]+\/texts\/[\w-]+\.ts'\)\)\.(\w+)/g)) used.add(at);
    const rest = source.replaceAll(constants, '');
    for (const [name, at] of names) {
      const uses = new RegExp(`(?<![\\w$']|(?<!\\.\\.)\\.)${name}(?:\\[[^\\]]*\\])?(?![\\w'])((?:\\s*\\??\\.\\s*\\w+)*)`, 'g');
      for (const [, chain = ''] of rest.matchAll(uses)) {
        const named = chain.replaceAll(/[\s?]/g, '').replaceAll('.', '/').slice(1);
        if (at !== '' || named !== '') used.add([at, named].filter((part) => part !== '').join('/'));
      }
    }
  }
  return used;
}

/** "a/b/c", "a/b" and "a". */
const withAncestors = (at: string): string[] => at.split('/').map((_part, index, all) => all.slice(0, all.length - index).join('/'));

function unusedTexts(part: Part): string[] {
  const keysOf = (area: string) => [...new Set(leaves(read(part, english, area)).map(([key]) => key.replace(pluralForm, '')))];
  const nodes = new Set(part.areas.flatMap(keysOf).flatMap(withAncestors));
  // `chat/examples/map` uses `chat/examples`, and with it what is below.
  const used = new Set([...usedPaths(part)].flatMap((at) => withAncestors(at).find((each) => nodes.has(each)) ?? []));
  return part.areas.flatMap((area) =>
    keysOf(area)
      .filter((key) => !withAncestors(key).some((each) => used.has(each)))
      .map((key) => `${part.home}/src/texts/en/${area}.json: nothing uses ${key}`),
  );
}

function check(): string[] {
  return parts().flatMap((part) => {
    const languages = readdirSync(folderOf(part), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    return [...languages.flatMap((language) => part.areas.flatMap((area) => problemsOf(part, language, area))), ...unusedTexts(part)];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && process.argv.includes('--check')) {
  const problems = check();
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
