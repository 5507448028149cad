import { ResponseStart } from './response-start.ts';

const textOf = (...chunks: (string | Buffer)[]) => {
  const start = new ResponseStart();
  for (const chunk of chunks) start.add(Buffer.from(chunk));
  return start.text();
};

test('the first 1 KB is kept, however it is split', () => {
  expect(textOf()).toBe('');
  expect(textOf('short')).toBe('short');
  expect(textOf('a'.repeat(1_024), 'b')).toBe('a'.repeat(1_024));
  expect(textOf('a'.repeat(1_000), 'b'.repeat(1_000))).toBe('a'.repeat(1_000) + 'b'.repeat(24));
});

test.each(['é', '€', '😀'])('no character is split: %s', (character) => {
  const size = Buffer.byteLength(character);
  for (let before = 1_024 - size; before <= 1_024; before += 1) {
    expect(textOf('a'.repeat(before) + character, 'more')).toBe('a'.repeat(before) + (before + size <= 1_024 ? character : ''));
  }
});

test('bytes that are not UTF-8 become a replacement character', () => {
  expect(textOf(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\u{fffd}b');
  expect(textOf(Buffer.alloc(2_000, 0x80))).toBe('\u{fffd}'.repeat(1_024));
});

test('reading stops after 64 KB', () => {
  const start = new ResponseStart();
  expect(start.add(Buffer.alloc(65_536))).toBe(false);
  expect(start.add(Buffer.alloc(1))).toBe(true);
});
