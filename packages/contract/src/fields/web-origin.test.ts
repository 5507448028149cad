import * as z from 'zod';
import { validate } from '../http/conversions.ts';
import { WebOrigin } from './web-origin.ts';

const One = z.object({ origin: WebOrigin });
const originOf = (origin: unknown) => validate(One, { origin }).origin;

test.each([
  ['https://app.example.com', 'https://app.example.com'],
  ['https://app.example.com/', 'https://app.example.com'],
  [' HTTPS://App.Example.COM:443/ ', 'https://app.example.com'],
  ['https://app.example.com:8443', 'https://app.example.com:8443'],
  ['https://bäckerei.example', 'https://xn--bckerei-5wa.example'],
  ['https://192.0.2.1', 'https://192.0.2.1'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1:80', 'http://127.0.0.1'],
  ['http://0x7f.1', 'http://127.0.0.1'],
])('%j is the origin %s', (text, origin) => {
  expect(originOf(text)).toBe(origin);
});

test.each([
  '',
  'app.example.com',
  'https:app.example.com',
  'https://',
  'http://app.example.com',
  'http://localhost.example.com',
  'ftp://app.example.com',
  'wss://app.example.com',
  'javascript:alert(1)',
  'https://app.example.com/page',
  'https://app.example.com/?',
  'https://app.example.com?a=b',
  'https://app.example.com#top',
  'https://me@app.example.com',
  'https://app.example.com\\',
  'https://*.example.com',
  'https://*',
  '*',
  'https://app.example.com:99999',
  'https://[::1]',
  'https://under_score.example.com',
  "https://a'self'.example",
  'https://a;script-src',
  'https://a,b.example',
  'https://a.example https://b.example',
  'https://a.example\nhttps://b.example',
  'null',
  null,
  7,
  `https://${'a.'.repeat(200)}example`,
])('%j is not an allowed origin', (text) => {
  expect(() => originOf(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});
