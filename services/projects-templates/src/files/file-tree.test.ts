import { AppError } from '@webkiln/contract';
import { fileTree, manifestIdOf } from './file-tree.ts';

const file = (path: string, content = path) => ({ path, content: Buffer.from(content) });

const refusal = (action: () => unknown) => {
  try {
    action();
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, details: error.details };
    throw error;
  }
  return undefined;
};

test('a tree lists its files by path with size, SHA-256 and content type', () => {
  expect(fileTree([file('index.html', '<h1>Hi</h1>'), file('a/logo.SVG', ''), file('LICENSE', 'x')])).toEqual([
    { path: 'LICENSE', size: 1, sha256: expect.stringMatching(/^2d711642/), content_type: 'application/octet-stream' },
    { path: 'a/logo.SVG', size: 0, sha256: expect.stringMatching(/^e3b0c442/), content_type: 'image/svg+xml' },
    { path: 'index.html', size: 11, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), content_type: 'text/html; charset=utf-8' },
  ]);
});

test('the error names an invalid path', () => {
  expect(refusal(() => fileTree([file('index.html'), file('../a')]))).toEqual({
    code: 'validation_failed',
    details: [{ path: '../a', message: expect.stringContaining('normalised') }],
  });
});

test('the error names the beginning of a very long path', () => {
  expect(refusal(() => fileTree([file('x'.repeat(100_000))]))?.details).toEqual([{ path: 'x'.repeat(200), message: expect.anything() }]);
});

test('a path given twice is rejected', () => {
  expect(refusal(() => fileTree([file('a'), file('a', 'other')]))?.details).toEqual([{ path: 'a', message: 'is given twice' }]);
});

test('2,000 files are accepted, 2,001 are not', () => {
  const files = Array.from({ length: 2001 }, (_, index) => file(`page-${index}.html`, ''));
  expect(fileTree(files.slice(1))).toHaveLength(2000);
  expect(refusal(() => fileTree(files))?.code).toBe('validation_failed');
});

test('25 MB are accepted, one byte more is not', () => {
  const half = { path: 'a.bin', content: new Uint8Array(12.5 * 1024 * 1024) };
  expect(fileTree([half, { ...half, path: 'b.bin' }])).toHaveLength(2);
  expect(refusal(() => fileTree([half, { ...half, path: 'b.bin' }, file('c', 'x')]))?.code).toBe('validation_failed');
});

test('equal trees of one organization have the same id, in any order of their files', () => {
  const tree = fileTree([file('a'), file('b')]);
  expect(manifestIdOf('org', fileTree([file('b'), file('a')]))).toBe(manifestIdOf('org', tree));
  expect(manifestIdOf('other', tree)).not.toBe(manifestIdOf('org', tree));
  expect(manifestIdOf('org', fileTree([file('a'), file('b', 'changed')]))).not.toBe(manifestIdOf('org', tree));
});
