const nested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);
const from = (name: string, values: readonly string[]) => values.map((value) => [name, value] as const);
const times = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at)).join('');

/** JSON values that no field accepts and that have broken other servers. */
export const hostileTexts: readonly string[] = [
  ...['{"$ne":1}', '{"$gt":""}', '{"$where":"sleep(5000)"}', '{"__proto__":{"status":"active"}}', '{"constructor":{"prototype":{"x":1}}}'],
  ...['null', 'true', '-1', '1e400', '-1e400', '1e-400', '9007199254740993', '0.1', '[]', '{}', '[[]]', '""', '" "', '"\\u0000"'],
  ...['"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u202e"', '"\\ufeff"', '"__proto__"', '"constructor"', '"toString"', '"$ne"'],
  ...['"a@b"', '"../../etc/passwd"', '"\' OR 1=1 --"', '"<script>alert(1)</script>"', '"\\r\\nSet-Cookie: a=b"', '"javascript:alert(1)"'],
  ...[`"${'x'.repeat(300)}"`, `"${'x'.repeat(5000)}"`, `"${'😀'.repeat(300)}"`, `"${'a'.repeat(60)}@${'a.'.repeat(90)}b!"`],
  ...['"018f0000-0000-7000-8000-000000000000"', nested(100), nested(20, '{"a":', '}')],
];

/** Bodies that attack by size or depth. */
export const hugeTexts: readonly string[] = [
  nested(100_000),
  `{"name":${nested(100_000)}}`,
  `{"name":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
  `{${times(60_000, (at) => `"a${at}":1,`)}"name":"x"}`,
  `{"name":"${'x'.repeat(1_000_000)}"}`,
  `{"tags":[${'1,'.repeat(300_000)}1]}`,
  `{"name":"${'x'.repeat(1_100_000)}"}`,
];

export const strangeNames: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', '$set', '$where', 'id', 'org_id', '_id', 'revision', 'outbox', 'a.b'],
  ...['', 'update_mask', 'client_id', 'x'.repeat(500), '\0', '\ud800'],
];

export const oddHeaders: readonly (readonly [name: string, value: string])[] = [
  ...from('Idempotency-Key', ['', 'x'.repeat(256), 'é'.repeat(200), '\t', '$ne', 'a,b', '"quoted"']),
  ...from('If-Match', ['"r0"', 'W/"r1"', 'r1', '"', '""', '*,*', ',', '"r1', '"r99999999999999999999"', `"${'x'.repeat(4000)}"`]),
  ...from('X-Request-Id', ['x'.repeat(129), '\x01', 'a b', '{"$ne":1}', 'é', '../..', '%00']),
  ...from('Prefer', ['return', 'return=', 'return=minimal;;;', ',,,', 'return="', 'wait=1e400', 'x'.repeat(4000)]),
  ...from('Content-Type', [
    'text/plain',
    'application/json; charset=utf-16',
    'application/jsonx',
    '',
    'application/json,text/plain',
    'a/b;c=";',
  ]),
  ...from('Content-Encoding', ['gzip', 'br', 'identity, gzip', 'x']),
  ...from('Content-Length', ['-1', '1e3', '99999999999999999999', '0x10', '1, 2']),
  ...from('Transfer-Encoding', ['chunked', 'gzip, chunked', 'xchunked', 'identity']),
  ...from('Expect', ['100-continue', 'the unexpected']),
  ...from('Host', ['', 'a b', 'a:b:c']),
  ...from('Upgrade', ['websocket', 'h2c']),
  ...from('traceparent', ['00-zz-zz-zz', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, 'x'.repeat(5000)]),
  ...from('Accept', ['\x7f', '*/*;q=x', ',']),
  ...from('If-None-Match', ['"', '*', 'x'.repeat(5000)]),
  ...from('Authorization', ['', 'Bearer', 'Bearer  ', 'Bearer wk_', 'Basic Og==', `Bearer ${'x'.repeat(8000)}`, 'Bearer a b']),
  ...from('Origin', ['null', '\x01', 'https://shop.example']),
  ...from('Cookie', ['='.repeat(4000)]),
  ...from('Range', ['bytes=9-1']),
  ...from('X-Forwarded-For', ['"><script>']),
  ...from('Bad Header', ['x']),
  ...from('Content-Length ', ['5']),
  ...from('é', ['x']),
];

/** Replacements for one path segment. */
export const oddPieces: readonly string[] = [
  ...['nonsense', '%zz', '%', '%00', '%c0%af', '..', '%2e%2e%2f', '%2e%2e', '*', "'", '$ne', '__proto__', 'constructor', ';a=b', '?', '#'],
  ...['018f0000-0000-7000-8000-00000000000', '018f0000-0000-7000-8000-0000000000000', '018f0000-0000-7000-8000-00000000000g'],
  ...['😀', '\x01', '', 'x'.repeat(2000), '%41'.repeat(1000), '/'.repeat(500), 'x'.repeat(17_000)],
];

export const oddQueries: readonly string[] = [
  ...['limit=-1', 'limit=1e999', 'limit=%00', 'limit[]=1', 'limit[$gt]=1', 'limit=1&limit=2', 'offset=99999999999999999999', 'offset=NaN'],
  ...['&&&', '=', 'client_id[$ne]=1', 'client_id=%zz', 'q=%', 'q=%ff', 'q=.*', 'q=((((((((((a*)*)*)*)*)*)*)*)*)*', 'q=%5B', 'q=%00'],
  ...['status[$ne]=x', '__proto__[a]=1', 'constructor=1', `q=${'a'.repeat(5000)}`, `q=${'%F0%9F%98%80'.repeat(200)}`],
  times(1500, (at) => `a${at}=1&`),
];

export const oddMethods: readonly string[] = ['PUT', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'FOO', 'PROPFIND', '', 'G ET', 'POST'];

/** Bytes that are not HTTP, or that are ambiguous HTTP. KEY is replaced by an API key with write permission. */
export const garbage: readonly string[] = [
  ...[
    '\r\n\r\n',
    '\0\0\0\0',
    'GET',
    'GET /\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET /api/v1/plans HTTP/1.1\nHost: localhost\n\n',
  ],
  ...[
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'GET http://evil.example/api/v1/plans HTTP/1.1\r\nHost: localhost\r\n\r\n',
  ],
  ...[
    'GET /api/v1/plans HTTP/1.1\r\nHost: localhost\r\nHost: b\r\nConnection: close\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  ],
  `GET /api/v1/plans HTTP/1.1\r\nHost: localhost\r\n${times(2500, (at) => `X-${at}: 1\r\n`)}\r\n`,
  `GET /api/v1/plans HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
  `GET /api/v1/${'x'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  'GET /api/v1/plans HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n',
  'GET /api/v1/plans HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n',
  smuggled('Content-Length: 6\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
  smuggled('Transfer-Encoding: chunked\r\nContent-Length: 6', '0\r\n\r\n'),
  smuggled('Transfer-Encoding: xchunked\r\nContent-Length: 2', '{}'),
  smuggled('Transfer-Encoding : chunked\r\nContent-Length: 2', '{}'),
  smuggled('Content-Length: 2\r\nContent-Length: 6', '{}'),
  smuggled('Transfer-Encoding: chunked', 'ffffffffffffffff\r\n{}'),
  smuggled('Transfer-Encoding: chunked', '-2\r\n{}\r\n0\r\n\r\n'),
  smuggled('Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
];

/** Request smuggling: a refused POST with a second one hidden behind it. */
function smuggled(framing: string, body: string): string {
  const head = (fields: string) =>
    `POST /api/v1/plans HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\n${fields}\r\n\r\n`;
  const hidden = '{"name":"smuggled","price":1}';
  return `${head(framing)}${body}${head(`Connection: close\r\nContent-Length: ${hidden.length}`)}${hidden}`;
}
