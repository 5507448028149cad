import { setImmediate as pendingIo } from 'node:timers/promises';
import { KeyedMutex } from './keyed-mutex.ts';

test('work for one key runs one after another, also after a failure; work for another key runs meanwhile', async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const work = (key: string, name: string, fails = false) =>
    mutex.run(key, async () => {
      log.push(`${name} begins`);
      await pendingIo();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const outcomes = await Promise.allSettled([work('a', 'first', true), work('a', 'second'), work('b', 'other')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log.filter((line) => !line.startsWith('other'))).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  expect(log.indexOf('other begins')).toBeLessThan(log.indexOf('first ends'));
  expect(await work('a', 'third')).toBe('third');
});
