import { FormRefusal } from '../../forms/intake/form-refusal.ts';
import { formEntries } from './form-entries.ts';

const part = (disposition: string, content: string, type = '') =>
  `--x\r\nContent-Disposition: form-data; ${disposition}\r\n${type === '' ? '' : `Content-Type: ${type}\r\n`}\r\n${content}\r\n`;
const nobodysFile = part('name="photo"; filename=""', '', 'application/octet-stream');
const text = `${part('name="a"', 'one\r\n\r\ntwo')}${nobodysFile}${part('name="ü"', '√')}--x--\r\n`;
const withFile = text.replace('filename=""', 'filename="a.png"').replace('octet-stream\r\n\r\n', 'octet-stream\r\n\r\nbytes');

const read = async (body: string | Buffer, type = 'multipart/form-data; boundary=x') => [...(await formEntries(Buffer.from(body), type))];

test('multipart texts are read, and an empty file input is ignored', async () => {
  expect(await read(text)).toEqual([
    ['a', 'one\r\n\r\ntwo'],
    ['ü', '√'],
  ]);
  await expect(read(withFile)).rejects.toEqual(expect.objectContaining({ reason: 'file' }));
});

test.each([
  ['texts', text],
  ['a file', withFile],
])('a body of %s that is truncated at, or lacks, any byte is read or refused without crashing', async (_what, whole) => {
  const body = Buffer.from(whole);
  for (let at = 0; at < body.byteLength; at++) {
    for (const broken of [body.subarray(0, at), Buffer.concat([body.subarray(0, at), body.subarray(at + 1)])]) {
      const outcome = await read(broken).catch((error: unknown) => error);
      expect(Array.isArray(outcome) || outcome instanceof FormRefusal).toBe(true);
    }
  }
});

test.each([
  [
    'a=1&b=%C3%BC+x&a=2&c',
    [
      ['a', '1'],
      ['b', 'ü x'],
      ['a', '2'],
      ['c', ''],
    ],
  ],
  [
    '%zz=%&=b&&',
    [
      ['%zz', '%'],
      ['', 'b'],
    ],
  ],
])('%s is decoded as browsers encode it', async (body, entries) => {
  expect(await read(body, 'application/x-www-form-urlencoded')).toEqual(entries);
});
