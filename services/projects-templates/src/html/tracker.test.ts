import { isPage, withTracker } from './tracker.ts';

const script = '<script defer src="/t.js"></script>';
const image = '<noscript><img src="/t.gif" alt="" hidden></noscript>';
const tracked = (html: string) => withTracker(Buffer.from(html))?.toString();

/** `S` marks the expected position of the script, `P` that of the image. */
test.each([
  ['before the end of the head, and of the body', '<!doctype html><html><head><title>a</title>S</head><body><p>b</p>P</body></html>'],
  ['before a body that ends the head', '<html><head><title>a</title>S<body class=x><p>b</p>P</html>'],
  ['at the start of a head whose end is left out', '<head lang=en>S<title>a</title><p>b</p>P'],
  ['after html where there is no head', '<!-- a --><!doctype html>\n<html lang="en>">S<p>b</p>P</html>'],
  ['after the doctype where there is nothing else', '<!Doctype html>S<title>a</title><p>b</p>P'],
  ['around a page fragment', 'S<h1>Hi</h1>P'],
  ['after a byte order mark', '\ufeffS<h1>Hi</h1>P'],
  ['not in a comment', '<head><!-- </head> -->S</head><body>aP</body><!-- </body> -->'],
  ['not in a script', '<head><script>"</head>"</script>S</head><body><script>"</body>"</script>P</body>'],
  ['not in a script that hides another', '<head><script><!-- <script></script></head> --></script>S</head><body>P</body>'],
  ['not in an attribute', `<head><meta content="</head>">S</head><body><a title='</body>'>aP</body>`],
  ['not in a template', '<html>S<template><head></head><body></body></template><p>a</p>P'],
  ['not in a text field that never ends', 'S<p>aP<textarea></body>'],
  ['at the last end of a body that ends twice', '<head>S</head><body>a</body>bP</body>'],
  ['where head and body are the wrong way round', '</body><head>SP</head>a'],
])('script and image are inserted %s', (_, marked) => {
  expect(tracked(marked.replace(/[SP]/g, ''))).toBe(marked.replace('S', script).replace('P', image));
});

test('all other bytes are unchanged', () => {
  const html = '<head>\r\n</head><body>é \u2028 🙂 &amp; <br>\n';
  expect(tracked(html)?.replace(script, '').replace(image, '')).toBe(html);
});

test('a page with the script is not changed again', () => {
  expect(tracked(tracked('<head></head><body>a</body>') ?? '')).toBeUndefined();
  expect(tracked(`<p><SCRIPT async src=' /t.js '></SCRIPT>`)).toBeUndefined();
  expect(tracked('<script src="/t.js.map"></script><script data-src="/t.js"></script>')).toContain(script);
});

test('a page that opts out is not changed', () => {
  expect(tracked('<head><meta name="webkiln:analytics" content="off"></head>')).toBeUndefined();
  expect(tracked('<META content=" OFF" name=Webkiln:Analytics>')).toBeUndefined();
  expect(tracked('<!-- <meta name="webkiln:analytics" content="off"> --><p>')).toContain(script);
  expect(tracked('<meta name="webkiln:analytics" content="on">')).toContain(script);
});

test.each([
  ['nothing', Buffer.from('')],
  ['text without a tag', Buffer.from('site-verification: 1 < 2')],
  ['UTF-16 with its mark', Buffer.from('\ufeff<p>a', 'utf16le')],
  ['UTF-16 without its mark', Buffer.from('<p>a', 'utf16le')],
  ['Latin-1', Buffer.from('<p>é', 'latin1')],
  ['more than 8 MB', Buffer.from(`<p>${'a'.repeat(8 * 1024 * 1024)}`)],
])('%s is not changed', (_, page) => {
  expect(withTracker(page)).toBeUndefined();
});

test.each([
  ['text/html; charset=utf-8', true],
  ['text/html', true],
  ['application/xhtml+xml', false],
  ['text/plain; charset=utf-8', false],
])('isPage for the type %s is %s', (content_type, expected) => {
  expect(isPage({ content_type })).toBe(expected);
});
