import { Coalescer } from './coalescer.ts';

test('callers that arrive during a run share the next one, which does the work of the last', async () => {
  const coalescer = new Coalescer<string>();
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const ask = (name: string, result: Promise<string> = Promise.resolve(name)) =>
    coalescer.ask('key', () => {
      begun.push(name);
      return result;
    });
  const results = [ask('first', first.promise), ask('second'), ask('third')];
  first.resolve('first');
  expect(await Promise.all(results)).toEqual(['first', 'third', 'third']);
  expect(begun).toEqual(['first', 'third']);
});

test('a run that fails fails for its own callers alone', async () => {
  const coalescer = new Coalescer<string>();
  const failing = coalescer.ask('key', () => Promise.reject(new Error('away')));
  const next = coalescer.ask('key', async () => 'answered');
  await expect(failing).rejects.toThrow('away');
  expect(await next).toBe('answered');
});

test('other keys do not wait', async () => {
  const coalescer = new Coalescer<string>();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = coalescer.ask('one', () => promise);
  expect(await coalescer.ask('other', async () => 'answered')).toBe('answered');
  resolve('answered later');
  expect(await waiting).toBe('answered later');
});
