import { pageTexts } from '../../texts.ts';
import { expiresSoon, keysProblem } from './client-keys.ts';
import { isRegistered, provesReceiver, redirectHost, redirectSource, redirectUriProblem } from './redirect-uri.ts';

describe('keys', () => {
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
});

describe('redirect URIs', () => {
  test.each([
    'https://agent.example/cb?a=b',
    'https://localhost/cb',
    'http://localhost/cb',
    'http://127.0.0.1:1/cb',
    'http://[::1]:80/cb',
    'vscode://publisher.extension/cb',
    'vscode-insiders://publisher.extension/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/cb',
    'com.example.app://cb',
    'https://xn--bcker-gra.example/cb',
  ])('%s may be registered', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  test.each([
    ...[
      '',
      ' https://agent.example/',
      'https://agent.example/\n',
      'https:\\\\agent.example',
      'agent.example/cb',
      '//agent.example/cb',
      'https://',
    ],
    ...[
      'http://agent.example/',
      'http://127.0.0.2/',
      'http://127.0.0.1.evil.example/',
      'http://localhost.evil.example/',
      'http://localhost@evil.example/',
    ],
    ...[
      'https://a#b',
      'https://a/#',
      'cursor://a#b',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'blob:https://a/b',
      'view-source:https://a/',
    ],
    ...['ms-msdt:/id', 'ms-word:ofe|u|https://a/', 'chrome-extension://x/', 'search-ms:query=x', 'example:/cb', 'ftp://a.example/cb'],
    ...['https://a;script-src.example/', 'https://a,b.example/', "https://a'b.example/", 'https://a_b.example/', 'cursor://a;b/cb'],
    ...['https://[::2]/cb', 'https://a*b.example/cb'],
    ...[`https://a/${'x'.repeat(2048)}`, 7, null, undefined, ['https://a/']],
  ])('%p may not be registered', (uri) => {
    expect(redirectUriProblem(uri)).toEqual(expect.any(String));
  });

  test.each([
    ['http://localhost:1/cb?a=b', 'http://localhost:2/cb?a=b', true],
    ['http://localhost/cb', 'http://localhost:65535/cb', true],
    ['http://[::1]/cb', 'http://[::1]:9/cb', true],
    ['http://localhost/cb', 'http://127.0.0.1/cb', false],
    ['http://localhost/cb', 'http://localhost:1/cb/', false],
    ['http://localhost/cb', 'http://localhost:1/cb?more', false],
    ['http://localhost/cb', 'http://localhost:1/cb#part', false],
    ['http://localhost/cb', 'http://localhost:1@evil.example/cb', false],
    ['http://localhost/cb', 'http://localhost:99999/cb', false],
    ['https://agent.example/cb', 'https://agent.example:443/cb', false],
    ['https://agent.example/cb', 'https://AGENT.example/cb', false],
  ])('registered %s, requested %s: %p', (registered, requested, expected) => {
    expect(isRegistered(requested, [registered])).toBe(expected);
  });

  test('a person is told the host, this computer or an app, and a browser the origin or the scheme', () => {
    const uris = ['https://agent.example:8443/cb', 'http://localhost:1/cb', 'http://[::1]:1/cb', 'cursor://x/cb'];
    expect(uris.map((uri) => redirectHost(uri, pageTexts.en.consent))).toEqual([
      'agent.example:8443',
      'this computer (localhost)',
      'this computer ([::1])',
      'the app behind cursor://',
    ]);
    // A source expression cannot hold an IPv6 address (CSP 3 §2.3.1).
    expect(uris.map(redirectSource)).toEqual(['https://agent.example:8443', 'http://localhost:1', 'http:', 'cursor:']);
    expect(uris.map(provesReceiver)).toEqual([true, false, false, false]);
  });
});
