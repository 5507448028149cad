import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readLanguages } from './languages.ts';

const source = import.meta.dirname;
const english = readFileSync(path.join(source, 'languages/en.json'), 'utf8');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'webkiln-languages-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Reads English and a language that is English but for one change. */
function readChanged(from: string, to: string) {
  expect(english).toContain(from);
  writeFileSync(path.join(folder, 'en.json'), english);
  writeFileSync(path.join(folder, 'xx.json'), english.replace(from, to));
  return readLanguages(pathToFileURL(`${folder}/`));
}

test('every language is complete, the one with the lowest rank first', () => {
  expect([...readLanguages(pathToFileURL(path.join(source, 'languages/'))).keys()]).toEqual(['en', 'de', 'fr', 'es']);
});

test.each([
  ['misses a text', '"skip": "Skip to content",', '', 'interface.skip'],
  ['has a text that is none of ours', '"skip":', '"slip": "", "skip":', 'slip'],
  ['misses a kind of business', '"garage": {', '"garages": {', 'garage'],
  ['misses a part that English has', '"action": "Ask about vouchers"', '"text": ""', 'sections.vouchers.action'],
  [
    'has a part that English has not',
    '"heading": "Opening hours",',
    '"heading": "Opening hours", "action": "Ask",',
    'sections.hours.action',
  ],
  ['misses a placeholder of a reply', 'The site is called “{value}” now.', 'The site has a new name.', 'replies.renamed'],
  ['misses a placeholder of a text', 'In {place} and around.', 'Around.', 'sections.area.text'],
  ['has an unknown placeholder', '"Book an appointment"', '"Book in {town}"', 'kinds.hairdresser.action'],
])('a language that %s is refused, and the message names it', (_what, from, to, name) => {
  expect(() => readChanged(from, to)).toThrow(name);
});

test('a fifth language is one more file: sites, edits and replies are in it, and prompts ask for it', () => {
  cpSync(source, path.join(folder, 'src'), { recursive: true });
  mkdirSync(path.join(folder, 'node_modules/@webkiln'), { recursive: true });
  for (const name of ['zod', '@webkiln/contract', '@webkiln/site-check'])
    symlinkSync(path.resolve(source, '../node_modules', name), path.join(folder, 'node_modules', name));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(folder, 'src/languages/xx.json'), pseudoLanguage());
  const program = `
    const { compose, edit } = await import('./src/index.ts');
    const made = compose({ prompt: 'a bakery site in pseudo', seed: 'one' });
    const { did } = edit({ ...compose({ prompt: 'bakery', seed: 'one' }), sentence: 'translate to pseudo' });
    console.log(JSON.stringify({ locale: made.site.locale, page: made.files.get('index.html'), slug: made.site.pages[1].slug, did }));`;
  const output = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  const { locale, page, slug, did } = JSON.parse(output);
  expect({ locale, slug }).toEqual({ locale: 'xx', slug: 'offersx' });
  expect(page).toContain('<html lang="xx">');
  expect(page).toContain('Skip to content ·x·');
  expect(did).toBe('The site is in English now. Texts that you wrote yourself stay as they are. ·x·');
});

/** English with a mark behind each text. */
function pseudoLanguage(): string {
  const { slugs, interface: labels, replies, ...others } = JSON.parse(english);
  const marked = (texts: Record<string, string>, mark: string) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text + mark]));
  return JSON.stringify({
    ...others,
    rank: 5,
    slugs: marked(slugs, 'x'),
    interface: marked(labels, ' ·x·'),
    replies: marked(replies, ' ·x·'),
    recognition: { frequentWords: 'xxxx', requests: 'in_pseudo to_pseudo', names: 'pseudo' },
  });
}
