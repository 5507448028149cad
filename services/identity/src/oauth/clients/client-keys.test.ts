import { expiresSoon, keysProblem } from './client-keys.ts';

test.each([
  ['no keys', {}, true],
  ['ten keys', { jwks: { keys: Array(10).fill({}) } }, true],
  ['an https address', { jwks_uri: 'https://agent.example/keys' }, true],
  ['eleven keys', { jwks: { keys: Array(11).fill({}) } }, false],
  ['an http address', { jwks_uri: 'http://agent.example/keys' }, false],
  ['a relative address', { jwks_uri: '/keys' }, false],
  ['no text as the address', { jwks_uri: 7 }, false],
])('a client with %s: may be registered: %3$p', (_what, metadata, expected) => {
  expect(keysProblem(metadata) === undefined).toBe(expected);
});

test.each([
  [1000 + 3600, true],
  [1000 + 3601, false],
  [undefined, false],
  ['1001', false],
])('an assertion that expires at %p is remembered: %p', (exp, expected) => {
  expect(expiresSoon(exp, 1000)).toBe(expected);
});
