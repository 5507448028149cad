import { brandedMail, platformMail } from './letter.ts';

const from = { name: 'Webkiln', address: 'no-reply@kiln.example' };
const origin = 'https://kiln.example';
const link = { label: 'Activate', url: 'https://kiln.example/activate?token=a&x=1' };
const letter = { greeting: 'Hello Ada,', paragraphs: ['One.', 'Two.'], link, closing: ['That is all.'] };
const brand = { name: 'Harbour & Co', sender_name: 'Ines of Harbour', logo_url: '/logos/abc', accent_color: '#ffee00' };

test('a letter of an organization has its name, logo and colour, and comes from our address in the name that it chose', () => {
  const mail = brandedMail(brand, from, origin, letter);
  expect(mail.from).toEqual({ name: 'Ines of Harbour', address: 'no-reply@kiln.example' });
  expect(mail.html).toContain('<img src="https://kiln.example/logos/abc" alt="Harbour &amp; Co"');
  expect(mail.html).toContain('background:#ffee00;color:#000000');
  expect(mail.text).toBe(
    'Hello Ada,\n\nOne.\n\nTwo.\n\nActivate:\nhttps://kiln.example/activate?token=a&x=1\n\nThat is all.\n\nHarbour & Co\n',
  );
});

test('a button can be read on a dark colour too', () => {
  expect(brandedMail({ ...brand, accent_color: '#102030' }, from, origin, letter).html).toContain('background:#102030;color:#ffffff');
});

test('without a logo the name stands in its place; a letter of ours is signed by us', () => {
  const html = String(platformMail(from, letter).html);
  expect(html).not.toContain('<img');
  expect(html).toContain('>Webkiln</p>');
  expect(platformMail(from, letter).from).toEqual(from);
});

test('nothing that somebody typed becomes markup', () => {
  const typed = `<img src=x onerror="alert('1')">`;
  const hostile = {
    greeting: typed,
    paragraphs: [typed],
    link: { label: typed, url: `https://kiln.example/"><script>` },
    closing: [typed],
  };
  const html = String(brandedMail({ name: typed, sender_name: typed, logo_url: `/logos/"><script>` }, from, origin, hostile).html);
  expect(html).not.toMatch(/<script|<img src=x|onerror="/);
  expect(html.match(/<img /g)).toHaveLength(1);
});
