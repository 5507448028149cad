import { Logo, maxLogoBytes, pictureType } from './logo.ts';

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
