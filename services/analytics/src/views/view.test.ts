import { decodeMessage, encodeMessage, encodeView, messageFrameBytes, type View } from './view.ts';

const view: View = {
  site: 'shop',
  at: 1_790_000_000_000,
  path: '/ü "quoted" \\ \u2028',
  referrer: 'news.example',
  device: 'mobile',
  browser: 'Firefox',
  system: 'Android',
  country: 'PT',
  source: 'letter',
  medium: 'mail',
  campaign: 'spring',
  bot: false,
  visitor: 'abcdefghijklmnop',
  event: '',
};

test('decoding a message returns its views in order', () => {
  const views = [view, { ...view, bot: true, event: 'abcdefghijk' }, { ...view, referrer: '' }];
  expect(decodeMessage(encodeMessage(views.map(encodeView)))).toEqual(views);
});

test('views of an earlier release, which tell less, are decoded', () => {
  const rows = JSON.parse(`[${encodeView(view)}]`) as unknown[][];
  const message = encodeMessage(rows.map((row) => JSON.stringify(row.slice(0, 8))));
  const unknown = { browser: '', system: '', country: '', source: '', medium: '', campaign: '' };
  expect(decodeMessage(message)).toEqual([{ ...view, ...unknown }]);
});

test('a message can be decoded for some sites only', () => {
  const shop = [view, { ...view, path: '/two' }];
  const other = { ...view, site: 'shop-2', path: '/["shop"]' };
  const message = encodeMessage([shop.map(encodeView).join(','), encodeView(other)]);
  expect(decodeMessage(message, (site) => site === 'shop')).toEqual(shop);
  expect(decodeMessage(message, (site) => site === 'shop-2')).toEqual([other]);
  expect(decodeMessage(message, () => false)).toEqual([]);
});

test('the size of a message is the sum of its views, separators and frame', () => {
  const encoded = [encodeView(view), encodeView(view)];
  const bytes = encoded.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(Buffer.byteLength(encodeMessage(encoded))).toBe(bytes + 1 + messageFrameBytes);
});

test.each(['{"v":1,"views":[]}', '3\n', '', '[]', 'views', '2\nviews'])('%s is not a message', (message) => {
  expect(() => decodeMessage(message)).toThrow();
});
