import { createHash } from 'node:crypto';
import { HyperLogLog } from './hyperloglog.ts';

const hashOf = (value: string) => createHash('sha256').update(value).digest();

test.each([0, 1, 2, 10, 100])('%i values are counted exactly', (count) => {
  const sketch = new HyperLogLog();
  for (let value = 0; value < count; value++) sketch.add(hashOf(`few ${value}`));
  expect(sketch.estimate()).toBe(count);
});

test('over 20 seeds and from 1,000 to 50,000 values no estimate is more than 3 % off', () => {
  const worst = Array.from({ length: 20 }, (_, seed) => {
    const sketch = new HyperLogLog();
    let error = 0;
    for (let value = 1; value <= 50_000; value++) {
      sketch.add(hashOf(`${seed} ${value}`));
      if ([1_000, 3_000, 10_000, 30_000, 50_000].includes(value)) error = Math.max(error, Math.abs(sketch.estimate() / value - 1));
    }
    return error;
  });
  expect(Math.max(...worst)).toBeLessThanOrEqual(0.03);
});

test('adding a value again changes nothing', () => {
  const sketch = new HyperLogLog();
  expect(sketch.add(hashOf('a')).index).toBeGreaterThanOrEqual(0);
  expect(sketch.add(hashOf('a'))).toEqual({ index: -1, standsFor: 0 });
  expect(sketch.estimate()).toBe(1);
});

test('a sketch restored from registers continues from there', () => {
  const first = new HyperLogLog();
  for (let value = 0; value < 5_000; value++) first.add(hashOf(`value ${value}`));
  const second = new HyperLogLog(first.registers);
  expect(second.estimate()).toBe(first.estimate());
  for (let value = 0; value < 5_000; value++) expect(second.add(hashOf(`value ${value}`)).index).toBe(-1);
  second.add(Buffer.alloc(10, 0));
  expect(first.registers).not.toEqual(second.registers);
});

test('a hash that is too short is rejected', () => {
  expect(() => new HyperLogLog().add(Buffer.alloc(9))).toThrow(RangeError);
});

test.each([2_000, 20_000])('what %i values stand for adds up to their number within 3 %%', (count) => {
  const sketch = new HyperLogLog();
  let sum = 0;
  for (let value = 0; value < 2 * count; value++) sum += sketch.add(hashOf(`value ${value % count}`)).standsFor;
  expect(Math.abs(sum - count)).toBeLessThan(0.03 * count);
});
