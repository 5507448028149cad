import { decimalsOf, isCurrency, shareOf, toMajor, toMinor, withTax } from './money.ts';

test.each([
  ['USD', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['HUF', 2],
])('%s has %d decimals, as ISO 4217 says', (currency, decimals) => {
  expect(decimalsOf(currency)).toBe(decimals);
});

test('an amount in minor units and back is the same, for every amount of two decimals up to 100', () => {
  for (let minor = 0; minor <= 10_000; minor += 1) expect(toMinor(toMajor(minor, 'USD'), 'USD')).toBe(minor);
});

test.each([
  [19.999, 'USD'],
  [1e-9, 'USD'],
  [0.5, 'JPY'],
  [1.0001, 'KWD'],
])('%d %s is finer than the smallest unit', (amount, currency) => {
  expect(toMinor(amount, currency)).toBeUndefined();
});

test('currencies without decimal units, and unknown ones, are none', () => {
  expect(['EUR', 'MGA', 'XXQ', 'eur'].map(isCurrency)).toEqual([true, false, false, false]);
});

test('a share is rounded to the nearest unit, halves away from zero, however large it is', () => {
  expect([shareOf(5, 1, 2), shareOf(-5, 1, 2), shareOf(1000, 1, 3)]).toEqual([3, -3, 333]);
  expect(shareOf(999_999_999_999, 31_535_999_999, 31_536_000_000)).toBe(999_999_999_967);
});

test('a price and its tax add up, whichever contains the other', () => {
  for (const price of [1, 99, 1999, 123_456_789]) {
    for (const rate of [0, 7, 7.7, 19, 24.975]) {
      const added = withTax(price, rate, false);
      expect(added.amount - added.tax).toBe(price);
      const contained = withTax(added.amount, rate, true);
      expect(contained.amount).toBe(added.amount);
      expect(Math.abs(contained.tax - added.tax)).toBeLessThanOrEqual(1);
    }
  }
});
