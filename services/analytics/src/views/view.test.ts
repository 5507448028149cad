import { decodeMessage, encodeMessage, encodeView, messageFrameBytes, partitionOf, type View } from './view.ts';

const view: View = {
  site: 'shop',
  at: 1_790_000_000_000,
  path: '/ü "quoted" \\ \u2028',
  referrer: 'news.example',
  device: 'mobile',
  bot: false,
  visitor: 'abcdefghijklmnop',
  event: '',
};

test('a message gives back the views that went into it, in their order', () => {
  const views = [view, { ...view, bot: true, event: 'abcdefghijk' }, { ...view, referrer: '' }];
  expect(decodeMessage(encodeMessage(views.map(encodeView)))).toEqual(views);
});

test('a message is as large as its views, the commas between them and its frame', () => {
  const encoded = [encodeView(view), encodeView(view)];
  const bytes = encoded.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(Buffer.byteLength(encodeMessage(encoded))).toBe(bytes + 1 + messageFrameBytes);
});

test.each(['{"v":2,"views":[]}', '{"views":[]}', '{"v":1}', '[]', 'views'])('%s is no message', (message) => {
  expect(() => decodeMessage(message)).toThrow();
});

test('a site stays in its partition for good, and many sites use every partition alike', () => {
  expect(['shop', 'harbour-bakery', 'a', ''].map((site) => partitionOf(site, 8))).toEqual([1, 3, 4, 5]);
  const sites = Array.from({ length: 8000 }, (_, index) => partitionOf(`site-${index}`, 8));
  for (let partition = 0; partition < 8; partition++) {
    const share = sites.filter((used) => used === partition).length;
    expect(share).toBeGreaterThan(800);
    expect(share).toBeLessThan(1200);
  }
});
