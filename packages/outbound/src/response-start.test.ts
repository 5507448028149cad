import { ResponseStart } from './response-start.ts';

const textOf = (...chunks: (string | Buffer)[]) => {
  const start = new ResponseStart();
  for (const chunk of chunks) start.add(Buffer.from(chunk));
  return start.text();
};

test('the first 1 KB is kept, however it comes', () => {
  expect(textOf()).toBe('');
  expect(textOf('short')).toBe('short');
  expect(textOf('a'.repeat(1_024), 'b')).toBe('a'.repeat(1_024));
  expect(textOf('a'.repeat(1_000), 'b'.repeat(1_000))).toBe('a'.repeat(1_000) + 'b'.repeat(24));
});

test.each(['é', '€', '😀'])('a character is never cut in two: %s', (character) => {
  const size = Buffer.byteLength(character);
  for (let before = 1_024 - size; before <= 1_024; before += 1) {
    expect(textOf('a'.repeat(before) + character, 'more')).toBe('a'.repeat(before) + (before + size <= 1_024 ? character : ''));
  }
});

test('bytes that are no UTF-8 become a replacement character', () => {
  expect(textOf(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\u{fffd}b');
  expect(textOf(Buffer.alloc(2_000, 0x80))).toBe('\u{fffd}'.repeat(1_024));
});

test('more than 64 KB is more than needed', () => {
  const start = new ResponseStart();
  expect(start.add(Buffer.alloc(65_536))).toBe(false);
  expect(start.add(Buffer.alloc(1))).toBe(true);
});
