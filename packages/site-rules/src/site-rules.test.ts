import { HeaderRules, isHashedName, pathOf, Redirects } from './index.ts';
import { parseRules } from './parse/parse-rules.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const parsed = (redirects: string, headers = '') => parseRules({ redirects: bytes(redirects), headers: bytes(headers) });

describe('_redirects', () => {
  const answer = async (line: string, url: string) => {
    const { rules } = await parsed(line);
    const { pathname, search, hostname } = new URL(url, 'https://shop.test');
    return new Redirects(rules.redirects).answer({ path: pathOf(decodeURIComponent(pathname)), query: search, host: hostname });
  };

  test.each([
    ['/old /new', '/old', { status: 301, location: '/new' }],
    ['/old /new 302', '/old/?a=b', { status: 302, location: '/new?a=b' }],
    ['/old /new?x=1#top 303', '/old?a=b', { status: 303, location: '/new?x=1#top' }],
    ['/old https://other.test/x 307', '/old', { status: 307, location: 'https://other.test/x' }],
    ['/old https://müller.test/ü 308', '/old', { status: 308, location: 'https://xn--mller-kva.test/%C3%BC' }],
    ['/* /index.html 200', '/orders/7', { status: 200, path: '/index.html' }],
    ['/gone/* /404.html 404', '/gone/x', { status: 404, path: '/404.html' }],
    ['/blog/* /news/:splat', '/blog/2024/a b', { status: 301, location: '/news/2024/a%20b' }],
    ['/blog/* /news/:splat', '/blog', { status: 301, location: '/news/' }],
    ['/blog/* /news', '/blogs', undefined],
    ['/b/:year/:slug /n/:slug/:year 302', '/b/2024/hi', { status: 302, location: '/n/hi/2024' }],
    ['/b/:year /n/:year', '/b/2024/hi', undefined],
    ['/a/*/edit /b/:splat', '/a/1/2/edit', { status: 301, location: '/b/1/2' }],
    ['/a/*.php /b/:splat', '/a/x/y.php', { status: 301, location: '/b/x/y' }],
    ['/caf%C3%A9 /x', '/caf\u0065\u0301', { status: 301, location: '/x' }],
    ['/p id=:id /posts/:id 301', '/p?id=a/b&x=1', { status: 301, location: '/posts/a/b?id=a/b&x=1' }],
    ['/p id=7 /seven', '/p?id=8', undefined],
    ['https://old.test/* https://new.test/:splat 301!', 'https://old.test/x', { status: 301, location: 'https://new.test/x' }],
    ['https://old.test/* https://new.test/:splat 301!', 'https://shop.test/x', undefined],
    ['/go/* /:splat', '/go//evil.test', { status: 301, location: '/evil.test' }],
    ['/go/* /:splat', '/go/%5C%5Cevil.test', { status: 301, location: '/%5C%5Cevil.test' }],
    ['/blog /blog/', '/blog', undefined],
    ['/* /:splat 302', '/a', undefined],
    ['/a /1\n/* /2\n/b /3', '/b', { status: 301, location: '/2' }],
    ['/a /1 # why\r\n# /b /2\r\n\r\n/b /3', '/b', { status: 301, location: '/3' }],
  ])('%j answers %s as Netlify and Cloudflare Pages do', async (lines, url, expected) => {
    expect(await answer(lines, url)).toEqual(expected);
  });

  test.each([
    ['/x /y 302 Country=de', 'condition "Country"'],
    ['/x /y 200 Role=admin', 'condition "Role"'],
    ['/api/* https://api.other.test/:splat 200', 'another host'],
    ['/x //other.test 200', undefined],
    ['/x https://:sub.other.test/ 302', 'visitors could choose'],
    ['/x https://user@other.test/ 302', 'visitors could choose'],
    ['/x /y 418', 'status 418'],
    ['/x', 'Missing destination'],
    ['/*/a/* /b', 'more than one *'],
    ['/f/* /.netlify/functions/:splat 200', 'a function'],
    ['http://a.test/* https://a.test/:splat 301!', 'only changes http'],
    [`/${'x'.repeat(2000)} /y`, 'more than 2000 characters'],
  ])('%s is named and not served, never half served', async (line, problem) => {
    const { rules, warnings } = await parsed(line);
    if (problem === undefined) {
      // With two slashes it would be another host: it is a path of this site.
      expect(new Redirects(rules.redirects).answer({ path: pathOf('/x'), query: '', host: '' })).toEqual({
        status: 200,
        path: '/other.test',
      });
      return;
    }
    expect(rules.redirects).toEqual([]);
    expect(warnings).toEqual([{ path: '_redirects', message: expect.stringContaining(problem) }]);
  });

  test('2,000 rules with 200 patterns are served; what is beyond is named', async () => {
    const fixed = await parsed(Array.from({ length: 2_001 }, (_, at) => `/${at} /x`).join('\n'));
    expect([fixed.rules.redirects.length, fixed.warnings.length]).toEqual([2_000, 1]);
    const patterns = await parsed(Array.from({ length: 250 }, (_, at) => `/${at}/* /x`).join('\n'));
    expect([patterns.rules.redirects.length, patterns.warnings.length]).toEqual([200, 1]);
    expect((await parsed(`${'#'.repeat(300_000)}\n/a /b`)).warnings).toHaveLength(1);
  });

  test('a path of 8,000 segments is matched with 200 patterns in linear time', async () => {
    const { rules } = await parsed(Array.from({ length: 200 }, (_, at) => `/*${'a'.repeat(at)}b /x`).join('\n'));
    const redirects = new Redirects(rules.redirects);
    const request = { path: pathOf('/a'.repeat(8_000)), query: '', host: '' };
    for (let round = 0; round < 20; round++) expect(redirects.answer(request)).toBeUndefined();
  });
});

describe('_headers', () => {
  const headersAt = async (text: string, path: string) => {
    const headers = new HeaderRules((await parsed('', text)).rules.headers).headersOf(pathOf(path));
    return headers && Object.fromEntries([...headers.values()].map(({ name, value }) => [name, value]));
  };

  test('headers go to the paths of their rule; of two rules the later one counts, and "! Name" takes a header away', async () => {
    const text =
      '/*\n  X-Frame-Options: DENY\n  Cache-Control: no-cache\n\n/assets/*\n  Cache-Control: public, max-age=60\n  ! X-Frame-Options\n';
    expect(await headersAt(text, '/a')).toEqual({ 'X-Frame-Options': 'DENY', 'Cache-Control': 'no-cache' });
    expect(await headersAt(text, '/assets/a.css')).toEqual({ 'X-Frame-Options': '', 'Cache-Control': 'public, max-age=60' });
    expect(await headersAt('/a\n  X-A: 1\n', '/b')).toBeUndefined();
    expect(await headersAt('/a\n  Link: </x>; rel=preload\n  Link: </y>\n', '/a')).toEqual({ Link: '</x>; rel=preload, </y>' });
  });

  test.each([
    ['Set-Cookie: a=b', 'by the platform'],
    ['Content-Length: 1', 'by the platform'],
    ['Transfer-Encoding: chunked', 'by the platform'],
    ['X-Content-Type-Options: x', 'by the platform'],
    ['Basic-Auth: me:secret', 'protects nothing'],
    ['X-A: é', 'characters'],
    ['X A: b', 'a name'],
  ])('%s is named and not sent', async (line, problem) => {
    const { rules, warnings } = await parsed('', `/*\n  ${line}\n  X-B: 1\n`);
    expect(rules.headers).toEqual([{ for: '/*', headers: [{ name: 'X-B', value: '1' }] }]);
    expect(warnings).toEqual([{ path: '_headers', message: expect.stringContaining(problem) }]);
  });

  test('a rule for a host is named, and its headers go to no other path', async () => {
    const { rules, warnings } = await parsed('', '/a\n  X-A: 1\nhttps://:project.pages.dev/*\n  X-Robots-Tag: noindex\n');
    expect(rules.headers).toEqual([{ for: '/a', headers: [{ name: 'X-A', value: '1' }] }]);
    expect(warnings[0]?.message).toContain('https://:project.pages.dev/*');
  });

  test('a response gets at most 8 KB of them', async () => {
    const text = Array.from({ length: 50 }, (_, at) => `/*\n  X-${at}: ${'a'.repeat(500)}\n`).join('');
    expect(Object.keys((await headersAt(text, '/')) ?? {}).length).toBeLessThan(17);
  });
});

test.each([
  ...['assets/index-DiwrgTda.css', 'assets/index-BmZ3xk9L.js', 'assets/index-B-x_9k2L.js', 'main.4f3e2a1b.css', 'main-5QFLYYGJ.js'],
  ...['chunk-NNKJKWKV.js', 'main.8a7b6c5d4e3f2a1b0c9d.chunk.js', '_astro/hoisted.BZ1a8xQ2.js', 'assets/logo-Bx9Yz1ab.svg'],
  ...[`style.min.${'0a'.repeat(32)}.css`, '_app/immutable/entry/start.BQ1bq3Z4.js', '_next/static/chunks/4f3e2a1b9c8d7e6f.js'],
])('%s is a name with a hash', (path) => expect(isHashedName(path)).toBe(true));

test.each([
  ...['index.html', 'app-BmZ3xk9L.html', 'style.css', 'jquery-3.7.1.min.js', 'photo-20240315.jpg', 'IMG_20240315_123456.jpg'],
  ...['logo-original.png', 'style-homepage.css', 'flyer-SUMMER2024.pdf', 'hero-HomePage.png', 'lib-base64url.js', 'song-mp3player.mp3'],
  ...['bootstrap-datepicker.min.js', 'fonts/inter-variable.woff2', 'sitemap-index.xml', '12345678.jpg', 'sw.js', 'chapter-deadbeef.txt'],
])('%s is none', (path) => expect(isHashedName(path)).toBe(false));
