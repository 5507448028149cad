import * as z from 'zod';
import { validate } from '../http/conversions.ts';
import { textColorOn } from './fields.ts';
import { pathProblem } from './file-path.ts';
import { Logo, maxLogoBytes, pictureType } from './logo.ts';
import { WebOrigin } from './web-origin.ts';

describe('fields', () => {
  test.each([
    ['#000000', '#ffffff'],
    ['#ffffff', '#000000'],
    ['#ffee00', '#000000'],
    ['#b4431f', '#ffffff'],
    ['#777777', '#000000'],
    ['#0000FF', '#ffffff'],
  ])('on %s text is %s', (color, text) => {
    expect(textColorOn(color)).toBe(text);
  });

  /** The contrast ratio as WCAG 2.2 defines it, independent of the function under test. */
  function contrast(one: string, other: string): number {
    const luminance = (color: string) => {
      const linear = (at: number) => {
        const part = Number(`0x${color.slice(at, at + 2)}`) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
    };
    const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }

  test('text on any color has a contrast of at least 4.5 to 1', () => {
    const parts = Array.from({ length: 16 }, (_, step) => (step * 17).toString(16).padStart(2, '0'));
    const colors = parts.flatMap((red) => parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)));
    expect(colors.filter((color) => contrast(color, textColorOn(color)) < 4.5)).toEqual([]);
  });
});

describe('file path', () => {
  test.each([
    'index.html',
    'assets/site.css',
    '.well-known/security.txt',
    'a..b/c...d',
    'über uns/größe.html',
    'blog/t.js',
    'api/collect/index.html',
    '_forms',
    'x'.repeat(1024),
  ])('%j is a path', (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });

  test.each([
    ['', /empty/],
    ['/index.html', /relative/],
    ['//host/x', /relative/],
    ['../secret', /normalised/],
    ['a/../b', /normalised/],
    ['a/..', /normalised/],
    ['./a', /normalised/],
    ['a/./b', /normalised/],
    ['a//b', /normalised/],
    ['folder/', /normalised/],
    ['a\\b', /separate/],
    ['..\\a', /separate/],
    ['a\0b', /control/],
    ['a\nb', /control/],
    ['a\u007fb', /control/],
    ['a\u0085b', /control/],
    ['a\ud800b', /Unicode/],
    ['ü'.repeat(513), /1024 bytes/],
    ['t.js', /reserved/],
    ['t.gif', /reserved/],
    ['api/collect', /reserved/],
    ['_forms/contact', /reserved/],
  ])('%j is not a path', (path, problem) => {
    expect(pathProblem(path)).toMatch(problem);
  });
});

describe('logo', () => {
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('rest')]);
  const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
  const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.from([0x0a, 0, 0, 0]), Buffer.from('WEBPVP8 ')]);
  const parsed = (bytes: Buffer | string) => Logo.safeParse(typeof bytes === 'string' ? bytes : bytes.toString('base64'));

  test.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
  ])('a picture’s type is detected from its first bytes: %s', (type, bytes) => {
    expect(pictureType(bytes)).toBe(type);
    expect(parsed(bytes).data).toEqual(bytes);
  });

  test.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['GIF', 'GIF89a'],
    ['SVG after a byte order mark', '\ufeff<svg/>'],
    ['a picture that begins late', ` ${png.toString('latin1')}`],
    ['another RIFF', 'RIFF....WAVEfmt '],
  ])('data that is not a picture is refused: %s', (_what, text) => {
    expect(parsed(Buffer.from(text)).error?.issues[0]?.message).toBe('must be a PNG, JPEG or WebP picture');
  });

  test.each(['', 'data:image/png;base64,iVBORw0KGgo=', 'iVBORw0KGgo', '%%%%'])('text that is not base64 is refused: %p', (text) => {
    expect(parsed(text).error?.issues[0]?.message).toBe('must be valid base64');
  });

  test('a picture may have at most 256 KB', () => {
    const of = (bytes: number) => parsed(Buffer.concat([png, Buffer.alloc(bytes - png.length)]));
    expect(of(maxLogoBytes).success).toBe(true);
    expect(of(maxLogoBytes + 1).error?.issues[0]?.message).toBe('must have at most 256 KB');
  });
});

describe('web origin', () => {
  const One = z.object({ origin: WebOrigin });
  const originOf = (origin: unknown) => validate(One, { origin }).origin;

  test.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['https://app.example.com/', 'https://app.example.com'],
    [' HTTPS://App.Example.COM:443/ ', 'https://app.example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['https://bäckerei.example', 'https://xn--bckerei-5wa.example'],
    ['https://192.0.2.1', 'https://192.0.2.1'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:80', 'http://127.0.0.1'],
    ['http://0x7f.1', 'http://127.0.0.1'],
  ])('%j is the origin %s', (text, origin) => {
    expect(originOf(text)).toBe(origin);
  });

  test.each([
    '',
    'app.example.com',
    'https:app.example.com',
    'https://',
    'http://app.example.com',
    'http://localhost.example.com',
    'ftp://app.example.com',
    'wss://app.example.com',
    'javascript:alert(1)',
    'https://app.example.com/page',
    'https://app.example.com/?',
    'https://app.example.com?a=b',
    'https://app.example.com#top',
    'https://me@app.example.com',
    'https://app.example.com\\',
    'https://*.example.com',
    'https://*',
    '*',
    'https://app.example.com:99999',
    'https://[::1]',
    'https://under_score.example.com',
    "https://a'self'.example",
    'https://a;script-src',
    'https://a,b.example',
    'https://a.example https://b.example',
    'https://a.example\nhttps://b.example',
    'null',
    null,
    7,
    `https://${'a.'.repeat(200)}example`,
  ])('%j is not an allowed origin', (text) => {
    expect(() => originOf(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });
});
