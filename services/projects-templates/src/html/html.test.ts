import { attributesOf, tagsOf } from './tags.ts';
import { isPage, withTracker } from './tracker.ts';

describe('tags', () => {
  const page = (html: string) => Buffer.from(html);
  const tags = (html: string) => [...tagsOf(page(html))].map(({ name, isEndTag }) => `${isEndTag ? '/' : ''}${name}`);
  const attributes = (html: string) => [...tagsOf(page(html))].map((tag) => Object.fromEntries(attributesOf(page(html), tag)));

  test('tags are found in order, in any case', () => {
    expect(tags('<!DocType html>\n<HTML lang=en><Head\n></head ><body/><p>é<br></P></body></html>')).toEqual(
      '!doctype html head /head body p br /p /body /html'.split(' '),
    );
  });

  test.each([
    ['a comment', '<!-- </head> -->'],
    ['a comment of the shortest kinds', '<!--><!--->'],
    ['a comment that ends with a bang', '<!-- </head> --!>'],
    ['a comment with dashes', '<!-- --</head> -- > </head> --->'],
    ['a comment that does not end with its own bang', '<!---!></head>-->'],
    ['a processing instruction', '<?php </head ?>'],
    ['a declaration', '<!ENTITY x "</head">'],
    ['an end tag without a name', '</ head></>'],
    ['text', 'a < b, 1 <2, <, <='],
  ])('%s is not a tag', (_, html) => {
    expect(tags(`<p>${html}<i>`)).toEqual(['p', 'i']);
  });

  test.each(['title', 'textarea', 'style', 'script', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'])(
    'tags inside %s are text',
    (name) => {
      expect(tags(`<${name}></head><!--</${name}x></ ${name}> a</${name.toUpperCase()} ><i>`)).toEqual([name, `/${name}`, 'i']);
    },
  );

  test.each([
    ['<script>"<!-- <script> </script> </head>" --></script><i>', ['script', '/script', 'i']],
    ['<script>"<!-- <script> -->" </script><i>', ['script', '/script', 'i']],
    ['<script><!--></script><i>', ['script', '/script', 'i']],
    ['<script><!-- </script><i>', ['script', '/script', 'i']],
    ['<script>a<b</scripts></script><i>', ['script', '/script', 'i']],
  ])('the script in %s ends where browsers end it', (html, expected) => {
    expect(tags(html)).toEqual(expected);
  });

  test('in SVG a CDATA section is text, and a self-closing element has no content', () => {
    expect(tags('<svg><style/><title/><![CDATA[</head>]]></svg><![CDATA[<i>]]><b>')).toEqual(['svg', 'style', 'title', '/svg', 'b']);
  });

  test.each([
    '<!--',
    '<!-- a',
    '<script>',
    '<title><i>',
    '<plaintext></plaintext><i>',
    '<a href="',
    '<a b=',
    '<a',
    '</a ',
    '<',
    '<!doctype',
  ])('a page that ends within %s is read without its incomplete tag', (end) => {
    expect(tags(`<p>${end}`)[0]).toBe('p');
    expect(tags(`<p>${end}`)).not.toContain('i');
  });

  test('attributes are parsed as browsers parse them', () => {
    expect(attributes(`<a B='>' c="a'b" d = e/ f / g=/h =i j=">" j=2 é=ü k=>`)).toEqual([
      { b: '>', c: "a'b", d: 'e/', f: '', g: '/h', '=i': '', j: '>', é: 'ü', k: '' },
    ]);
  });

  /** In quadratic time, any of these would take days. */
  test.each([
    ...[
      '<',
      '<a',
      '<a ',
      '<!--',
      '<!-- -->',
      '--!>',
      '<!',
      '<?',
      '</',
      '<script>',
      '<script><!--',
      '<script></script',
      '<title></titl',
      '"',
    ],
    ...["<a b='", '<a b="\'>', '<a b=', '<a =', '<svg>', '<svg><![CDATA[', '<svg/>]]>', '<template>', '<plaintext', '\0', '-->'],
  ])('2 MB of %j are read in linear time', (part) => {
    const html = Buffer.alloc(2 * 1024 * 1024, part);
    let end = 0;
    for (const tag of tagsOf(html)) end = tag.end;
    expect(end).toBeLessThanOrEqual(html.length);
  });
});

const untouchedPictures = `<meta property="og:image" content="https://a.test/a.png"><meta property="og:image" content="//a.test/a.png">
<meta property="og:image" content="a.png"><meta property="og:title" content="/a"><meta property="og:image">
<template><meta property="og:image" content="/a.png"></template>`;

describe('tracker', () => {
  const origin = 'https://bakery.sites.example.net';
  const script = '<script defer src="/t.js"></script>';
  const image = '<noscript><img src="/t.gif" alt="" hidden></noscript>';
  const tracked = async (html: string) => (await withTracker(Buffer.from(html), origin))?.toString();

  /** `S` marks the expected position of the script, `P` that of the image. */
  test.each([
    ['before the end of the head, and of the body', '<!doctype html><html><head><title>a</title>S</head><body><p>b</p>P</body></html>'],
    ['before a body that ends the head', '<html><head><title>a</title>S<body class=x><p>b</p>P</html>'],
    ['at the start of a head whose end is left out', '<!doctype html><head lang=en>S<title>a</title><p>b</p>P'],
    ['after html where there is no head', '<!-- a --><!doctype html>\n<html lang="en>">S<p>b</p>P</html>'],
    ['after the doctype where there is nothing else', '<!Doctype html>S<title>a</title><p>b</p>P'],
    ['after a byte order mark', '\ufeff<!doctype html>S<h1>Hi</h1>P'],
    ['not in a comment', '<!doctype html><head><!-- </head> -->S</head><body>aP</body><!-- </body> -->'],
    ['not in a script', '<!doctype html><head><script>"</head>"</script>S</head><body><script>"</body>"</script>P</body>'],
    ['not in a script that hides another', '<!doctype html><head><script><!-- <script></script></head> --></script>S</head><body>P</body>'],
    ['not in an attribute', `<!doctype html><head><meta content="</head>">S</head><body><a title='</body>'>aP</body>`],
    ['not in a template', '<html>S<template><head></head><body></body></template><p>a</p>P'],
    ['not in a text field that never ends', '<!doctype html>S<p>aP<textarea></body>'],
    ['at the last end of a body that ends twice', '<!doctype html><head>S</head><body>a</body>bP</body>'],
    ['where head and body are the wrong way round', '<!doctype html></body><head>SP</head>a'],
  ])('script and image are inserted %s', async (_, marked) => {
    expect(await tracked(marked.replace(/[SP]/g, ''))).toBe(marked.replace('S', script).replace('P', image));
  });

  /** `O` marks where the origin is expected. */
  test.each([
    ['of Open Graph', '<meta property="og:image" content="O/a.png">'],
    ['by any of its names', `<META Content='O/a.png' PROPERTY=og:image:url><meta property=og:image:secure_url content=O/a.png>`],
    ['of a card', '<meta name="twitter:image" content="O/a.png">'],
    ['that has an origin, is relative to its page, is no picture or is in a template', untouchedPictures],
  ])('the address of a link picture %s is whole where it is a path', async (_, marked) => {
    const page = `<!doctype html><html><head>${marked}</head><body>a</body></html>`;
    const expected = page.replaceAll('O/', `${origin}/`).replace('</head>', `${script}</head>`).replace('</body>', `${image}</body>`);
    expect(await tracked(page.replaceAll('O/', '/'))).toBe(expected);
  });

  test('of the addresses of 1,000 link pictures 16 are made whole', async () => {
    const page = `<!doctype html><html>${'<meta property="og:image" content="/a.png">'.repeat(1_000)}`;
    expect((await tracked(page))?.split(origin)).toHaveLength(17);
  });

  test('all other bytes are unchanged', async () => {
    const html = '<html><head>\r\n</head><body>é \u2028 🙂 &amp; <br>\n';
    expect((await tracked(html))?.replace(script, '').replace(image, '')).toBe(html);
  });

  test('a page with the script is not changed again', async () => {
    expect(await tracked((await tracked('<html><head></head><body>a</body>')) ?? '')).toBeUndefined();
    expect(await tracked(`<html><p><SCRIPT async src=' /t.js '></SCRIPT>`)).toBeUndefined();
    expect(await tracked('<html><script src="/t.js.map"></script><script data-src="/t.js"></script>')).toContain(script);
  });

  test('a base within the site leaves the tracker where it is', async () => {
    expect(await tracked('<!doctype html><base href="/app/"><base target="_blank"><p>a')).toContain(script);
  });

  test('a page that opts out is not changed', async () => {
    expect(await tracked('<html><head><meta name="webkiln:analytics" content="off"></head>')).toBeUndefined();
    expect(await tracked('<html><META content=" OFF" name=Webkiln:Analytics>')).toBeUndefined();
    expect(await tracked('<html><!-- <meta name="webkiln:analytics" content="off"> --><p>')).toContain(script);
    expect(await tracked('<html><meta name="webkiln:analytics" content="on">')).toContain(script);
  });

  test.each([
    ['nothing', Buffer.from('')],
    ['text without a tag', Buffer.from('site-verification: 1 < 2')],
    ['UTF-16 with its mark', Buffer.from('\ufeff<html><p>a', 'utf16le')],
    ['UTF-16 without its mark', Buffer.from('<html><p>a', 'utf16le')],
    ['Latin-1', Buffer.from('<html><p>é', 'latin1')],
    ['more than 8 MB', Buffer.from(`<html><p>${'a'.repeat(8 * 1024 * 1024)}`)],
    ['a part that scripts load', Buffer.from('<article><h1>Hi</h1></article>')],
    ['a table row that scripts load', Buffer.from('<tr><td>1</td></tr>')],
    ['a body without a document', Buffer.from('<head><title>a</title></head><body>a</body>')],
    ['AMP', Buffer.from('<!doctype html><html ⚡ lang=de><head></head><body></body></html>')],
    ['AMP in letters', Buffer.from('<!doctype html><html AMP4email><head></head><body></body></html>')],
    ['a page whose base is another site', Buffer.from('<!doctype html><base href="//cdn.test/a/"><p>a')],
    ['a page whose base is an address', Buffer.from('<!doctype html><base href=" HTTPS://cdn.test/"><p>a')],
  ])('%s is not changed', async (_, page) => {
    expect(await withTracker(page, origin)).toBeUndefined();
  });

  test('other work comes in between while a large page is read', async () => {
    let turns = 0;
    const other = () => {
      turns++;
      next = setImmediate(other);
    };
    let next = setImmediate(other);
    const page = `<html><head></head>${'<textarea></textarea>'.repeat(100_000)}`;
    expect(await tracked(page)).toContain(script);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(10);
  });

  test.each([
    ['text/html; charset=utf-8', true],
    ['text/html', true],
    ['application/xhtml+xml', false],
    ['text/plain; charset=utf-8', false],
  ])('isPage for the type %s is %s', (content_type, expected) => {
    expect(isPage({ content_type })).toBe(expected);
  });
});
