import { checkSite } from './check-site.ts';
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
])('%s is found in %s', (rule, body) => expect(rulesOf(site(body))).toEqual([rule]));

test.each([
  ['index-exists', new Map([['about.html', page('')]])],
  ['page-language', new Map([['index.html', page('').replace(' lang="en"', '')]])],
  ['page-title', new Map([['index.html', page('', '')]])],
  ['size-limit', site('', { 'big.png': new Uint8Array(9 * 1024 * 1024) })],
  ['size-limit', site('', { 'big.html': 'x'.repeat(600 * 1024) })],
  ['asset-exists', site('', { 'style.css': 'a { background: url("gone.png") }' })],
  ['foreign-origin', site('', { 'style.css': '@import url(https://fonts.example.com/a.css);' })],
])('%s is found in a whole site', (rule, files) => expect(rulesOf(files)).toEqual([rule]));

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
