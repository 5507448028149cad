import { checkSite } from '@webkiln/site-check';
import { compose } from '../compose.ts';
import { type Site, siteOf } from '../site.ts';
import { edit } from './edit.ts';
import { editTypedText } from './edit-typed-text.ts';

type Files = Map<string, string>;
const prompt =
  'A bakery in Lyon called Chez Marie. Menu: Rye 4 €, Baguette 2 €. Team: Ana Ruiz, baker. Phone 04 78 00 00 00. With questions.';
const bakery = (): Files => new Map([...compose({ prompt, seed: 'bakery-0' }).files] as [string, string][]);
const voids = new Set(['meta', 'link', 'img', 'input', 'br']);

/** The texts in the body of a rendered page with their places, as browsers number them. */
function textsOf(page: string): { at: number[]; text: string }[] {
  const texts: { at: number[]; text: string }[] = [];
  const counts = [0];
  const [, rest = ''] = page.split(/<html[^>]*>\n/);
  for (const token of rest.match(/<[^>]+>|[^<]+/g) ?? []) {
    const [, end, name = ''] = /^<(\/?)([a-z0-9]+)/.exec(token) ?? [];
    if (end === '/') counts.pop();
    else {
      const at = counts.map((count, level) => (level === counts.length - 1 ? count : count - 1));
      counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
      if (name === '' && token.trim() !== '' && at[0] === 2) texts.push({ at, text: token });
      if (name !== '' && !voids.has(name)) counts.push(0);
    }
  }
  return texts;
}

const unescaped = (text: string) =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
const editedAt = (files: Files, page: string, { at, text }: { at: number[]; text: string }, typed: string) =>
  editTypedText(files, { page, at, before: unescaped(text), text: typed });
const wished = (files: Files, sentence: string): Files => {
  const result = edit({ site: siteOf(files) as Site, files, sentence });
  if ('notUnderstood' in result) throw new Error(result.notUnderstood);
  return new Map([...result.files] as [string, string][]);
};

test('every text of a composed page can be typed over, and most become part of what the site is made of', () => {
  const files = bakery();
  const places = textsOf(files.get('index.html') ?? '');
  const changes = places.map((place) => editedAt(files, 'index.html', place, 'Typed & kept'));
  const unkept = places.filter((_, index) => !changes[index]?.get('index.html')?.includes('Typed &amp; kept'));
  expect(unkept).toEqual([]);
  const asData = changes.filter((changed) => changed?.has('webkiln.json')).length;
  expect(asData / places.length).toBeGreaterThan(0.7);
});

test.each([
  ['h1', /<h1>([^<]+)<\/h1>/],
  ['lead', /<p class="lead">([^<]+)<\/p>/],
  ['kicker', /<p class="kicker">([^<]+)<\/p>/],
])('a typed %s stays through later wishes: another direction, section, scheme and font', (_, pattern) => {
  const files = bakery();
  const home = files.get('index.html') ?? '';
  const shown = home.match(pattern)?.[1];
  const place = textsOf(home).find(({ text }) => text === shown);
  if (place === undefined) throw new Error('the text is missing');
  let current: Files = new Map([...files, ...(editedAt(files, 'index.html', place, 'Bread, <b>slowly</b>') ?? [])]);
  for (const sentence of ['Make it playful', 'Add a pricing section', 'Make it dark', 'Use a serif font']) {
    current = wished(current, sentence);
    expect(current.get('index.html')).toContain('Bread, &lt;b&gt;slowly&lt;/b&gt;');
  }
  expect(checkSite(current)).toEqual([]);
});

test('a name that is typed over changes wherever the site shows it', () => {
  const files = bakery();
  const place = textsOf(files.get('index.html') ?? '').find(({ text }) => text === 'Chez Marie');
  if (place === undefined) throw new Error('the name is missing');
  const changed = editedAt(files, 'index.html', place, 'Chez Odile');
  expect(changed?.get('about.html')).toContain('Chez Odile');
  expect(siteOf(changed ?? new Map())?.name).toBe('Chez Odile');
});
