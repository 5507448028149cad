import { attributesOf, tagsOf } from './tags.ts';

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

test.each(['<!--', '<!-- a', '<script>', '<title><i>', '<plaintext></plaintext><i>', '<a href="', '<a b=', '<a', '</a ', '<', '<!doctype'])(
  'a page that ends within %s is read without its incomplete tag',
  (end) => {
    expect(tags(`<p>${end}`)[0]).toBe('p');
    expect(tags(`<p>${end}`)).not.toContain('i');
  },
);

test('attributes are parsed as browsers parse them', () => {
  expect(attributes(`<a B='>' c="a'b" d = e/ f / g=/h =i j=">" j=2 é=ü k=>`)).toEqual([
    { b: '>', c: "a'b", d: 'e/', f: '', g: '/h', '=i': '', j: '>', é: 'ü', k: '' },
  ]);
});

/** In quadratic time, any of these would take days. */
test.each([
  ...['<', '<a', '<a ', '<!--', '<!-- -->', '--!>', '<!', '<?', '</', '<script>', '<script><!--', '<script></script', '<title></titl', '"'],
  ...["<a b='", '<a b="\'>', '<a b=', '<a =', '<svg>', '<svg><![CDATA[', '<svg/>]]>', '<template>', '<plaintext', '\0', '-->'],
])('2 MB of %j are read in linear time', (part) => {
  const html = Buffer.alloc(2 * 1024 * 1024, part);
  let end = 0;
  for (const tag of tagsOf(html)) end = tag.end;
  expect(end).toBeLessThanOrEqual(html.length);
});
