import { ByteSecrets, TextSecrets } from './secret-list.ts';

const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
const bytes = (fill: number) => Buffer.alloc(32, fill);

test('a list holds its secrets in order, without their ids', () => {
  expect(TextSecrets.parse(`2026-01:${one},2026-07:${two}`)).toEqual([one, two]);
  expect(ByteSecrets.parse(`a:${bytes(1).toString('base64')},b:${bytes(2).toString('base64')}`)).toEqual([bytes(1), bytes(2)]);
});

test('a secret alone is a list of one, and means the same with an id before it', () => {
  for (const alone of [one, `with, commas and spaces ${one}`, `no id: ${one}`]) expect(TextSecrets.parse(alone)).toEqual([alone]);
  expect(TextSecrets.parse(`old:${one}`)).toEqual(TextSecrets.parse(one));
  const pepper = bytes(1).toString('base64');
  expect(ByteSecrets.parse(`old:${pepper}`)).toEqual(ByteSecrets.parse(pepper));
});

test.each(['', 'short', 'a:short', `a:${one},a:${two}`])('a text secret is refused: %p', (text) => {
  const { success, error } = TextSecrets.safeParse(text);
  expect(success).toBe(false);
  expect(error?.message).toContain('each id once');
});

test.each(['', 'AAAA', 'not base64', `a:${bytes(1).toString('base64')},b:AAAA`, `${bytes(1).toString('base64')},b:AAAA`])(
  'a secret of bytes is refused: %p',
  (text) => {
    expect(ByteSecrets.safeParse(text).success).toBe(false);
  },
);
