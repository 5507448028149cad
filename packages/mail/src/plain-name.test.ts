import { oneLine, plainName } from './plain-name.ts';

test.each(['Harbour & Co', "O'Brien – Söhne", 'Ada L. Byron', 'Bakery No. 7', '東京デザイン', 'A/B: two'])(
  'an ordinary name stays: %s',
  (name) => {
    expect(plainName(name)).toBe(name);
  },
);

test.each([
  'https://evil.example/login',
  'HTTP://evil.example',
  'evil.example',
  'www.evil.example',
  'win at evil\uFF0Eexample',
  'evil\u3002example',
  'evil\u2024example',
  'evil\uFF61example',
  'mailto:mallory@evil.example',
  '192.0.2.1/login',
])('no mail program makes a link of %j', (name) => {
  expect(plainName(name)).not.toMatch(/\S[.\u2024\u3002\uFE52\uFF0E\uFF61]\S|:\/\/|@/u);
});

test.each(['Ada\r\nBcc: x', 'Ada\u2028Bob', 'Ada\u0000', 'Ada\u202Eexe', 'Ada\u200Bexample', '\u001B[2J'])(
  '%j becomes one line of visible text',
  (name) => {
    expect(plainName(name)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(oneLine(name, 200)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  },
);

test('a long name is cut', () => {
  expect(plainName('x'.repeat(10_000))).toHaveLength(100);
});
