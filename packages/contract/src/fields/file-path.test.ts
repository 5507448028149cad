import { pathProblem } from './file-path.ts';

test.each([
  'index.html',
  'assets/site.css',
  '.well-known/security.txt',
  'a..b/c...d',
  'über uns/größe.html',
  'blog/t.js',
  'api/collect/index.html',
  '_forms',
  'x'.repeat(1024),
])('%j is a path', (path) => {
  expect(pathProblem(path)).toBeUndefined();
});

test.each([
  ['', /empty/],
  ['/index.html', /relative/],
  ['//host/x', /relative/],
  ['../secret', /normalised/],
  ['a/../b', /normalised/],
  ['a/..', /normalised/],
  ['./a', /normalised/],
  ['a/./b', /normalised/],
  ['a//b', /normalised/],
  ['folder/', /normalised/],
  ['a\\b', /separate/],
  ['..\\a', /separate/],
  ['a\0b', /control/],
  ['a\nb', /control/],
  ['a\u007fb', /control/],
  ['a\u0085b', /control/],
  ['a\ud800b', /Unicode/],
  ['ü'.repeat(513), /1024 bytes/],
  ['t.js', /reserved/],
  ['t.gif', /reserved/],
  ['api/collect', /reserved/],
  ['_forms/contact', /reserved/],
])('%j is not a path', (path, problem) => {
  expect(pathProblem(path)).toMatch(problem);
});
