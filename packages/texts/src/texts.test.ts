import { knownLanguage } from '@webkiln/contract';
import { languageOf } from './texts.ts';
import { textsOf } from './texts-of.ts';

interface Texts {
  readonly plain: string;
  readonly named: (values: { readonly name: string }) => string;
  readonly group: { readonly visits: (values: { readonly count: number }) => string; readonly 'key.created': string };
  readonly all: (values: { readonly names: readonly string[] }) => string;
}

const json = (visits: object) => ({
  plain: 'Plain',
  named: 'Hello {{name}}',
  group: { ...visits, 'key.created': 'Key made' },
  all: '{{names, list}}',
});
const german = textsOf<Texts>(
  'de',
  json({ visits_zero: 'Keine', visits_one: '{{count, number}} Besuch', visits_other: '{{count, number}} Besuche' }),
);
const french = textsOf<Texts>(
  'fr',
  json({ visits_one: '{{count, number}} visite', visits_many: '{{count, number}} de visites', visits_other: '{{count, number}} visites' }),
);

test('a text without placeholders is itself; others take values, which are not read as texts', () => {
  expect([german.plain, german.group['key.created']]).toEqual(['Plain', 'Key made']);
  expect(german.named({ name: '{{name}} $& $t(plain)' })).toBe('Hello {{name}} $& $t(plain)');
});

test('plural forms, numbers and lists are those of the language', () => {
  expect([0, 1, 2, 1234].map((count) => german.group.visits({ count }))).toEqual(['Keine', '1 Besuch', '2 Besuche', '1.234 Besuche']);
  expect([0, 1, 2, 1_000_000].map((count) => french.group.visits({ count }).replaceAll(/\s/g, ' '))).toEqual([
    '0 visite',
    '1 visite',
    '2 visites',
    '1 000 000 de visites',
  ]);
  expect(german.all({ names: ['A', 'B', 'C'] })).toBe('A, B und C');
});

test.each([
  ['the chosen language', { cookie: 'a=b; webkiln_language=fr; c=d', 'accept-language': 'de' }, 'fr'],
  ['the first preference that we have', { 'accept-language': 'da, es-MX;q=0.8, de;q=0.9' }, 'de'],
  ['English for a browser of other languages', { cookie: 'webkiln_language=xx', 'accept-language': 'da' }, 'en'],
  ['English for a program', { 'accept-language': '*' }, 'en'],
])('a page is in %s', (_what, headers, language) => {
  expect(languageOf(headers)).toBe(language);
});

test('a language of a newer service is shown as English', () => {
  expect(['es', 'pt', ''].map(knownLanguage)).toEqual(['es', 'en', 'en']);
});
