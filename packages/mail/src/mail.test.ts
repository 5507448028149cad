import { brandedMail, oneLine, plainName, platformMail } from './mail.ts';

describe('names', () => {
  test.each(['Harbour & Co', "O'Brien – Söhne", 'Ada L. Byron', 'Bakery No. 7', '東京デザイン', 'A/B: two'])(
    'an ordinary name stays: %s',
    (name) => {
      expect(plainName(name)).toBe(name);
    },
  );

  test.each([
    'https://evil.example/login',
    'HTTP://evil.example',
    'evil.example',
    'www.evil.example',
    'win at evil\uFF0Eexample',
    'evil\u3002example',
    'evil\u2024example',
    'evil\uFF61example',
    'mailto:mallory@evil.example',
    '192.0.2.1/login',
  ])('no mail program makes a link of %j', (name) => {
    expect(plainName(name)).not.toMatch(/\S[.\u2024\u3002\uFE52\uFF0E\uFF61]\S|:\/\/|@/u);
  });

  test.each(['Ada\r\nBcc: x', 'Ada\u2028Bob', 'Ada\u0000', 'Ada\u202Eexe', 'Ada\u200Bexample', '\u001B[2J'])(
    '%j becomes one line of visible text',
    (name) => {
      expect(plainName(name)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(oneLine(name, 200)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    },
  );

  test('a long name is cut', () => {
    expect(plainName('x'.repeat(10_000))).toHaveLength(100);
  });
});

describe('templates', () => {
  const from = { name: 'Webkiln', address: 'no-reply@kiln.example' };
  const origin = 'https://kiln.example';
  const link = { label: 'Activate', url: 'https://kiln.example/activate?token=a&x=1' };
  const template = { language: 'en' as const, name: 'Ada', paragraphs: ['One.', 'Two.'], link, closing: ['That is all.'] };
  const brand = { name: 'Harbour & Co', sender_name: 'Ines of Harbour', logo_url: '/logos/abc', accent_color: '#ffee00' };

  test('a mail of an organization has its name, logo and color, and our address under its chosen sender name', () => {
    const mail = brandedMail(brand, from, origin, template);
    expect(mail.from).toEqual({ name: 'Ines of Harbour', address: 'no-reply@kiln.example' });
    expect(mail.html).toContain('<img src="https://kiln.example/logos/abc" alt="Harbour &amp; Co"');
    expect(mail.html).toContain('background:#ffee00;color:#000000');
    expect(mail.text).toBe(
      'Hello Ada,\n\nOne.\n\nTwo.\n\nActivate:\nhttps://kiln.example/activate?token=a&x=1\n\nThat is all.\n\nHarbour & Co\n',
    );
  });

  test('a button is readable on a dark color', () => {
    expect(brandedMail({ ...brand, accent_color: '#102030' }, from, origin, template).html).toContain('background:#102030;color:#ffffff');
  });

  test('a mail without a logo shows the name instead; a mail of the platform is signed by it', () => {
    const html = String(platformMail(from, template).html);
    expect(html).not.toContain('<img');
    expect(html).toContain('>Webkiln</p>');
    expect(platformMail(from, template).from).toEqual(from);
  });

  test('no name of an organization becomes a link', () => {
    const hostile = { ...brand, name: 'Go to https://evil.example', sender_name: 'pay@evil.example' };
    const mail = brandedMail(hostile, from, origin, template);
    expect(`${mail.from.name} ${mail.text} ${mail.html}`).not.toMatch(/evil\.example|https:\/\/evil|@evil/);
  });

  test('a mail escapes all user input', () => {
    const typed = `<img src=x onerror="alert('1')">`;
    const hostile = {
      language: 'en' as const,
      name: typed,
      paragraphs: [typed],
      link: { label: typed, url: `https://kiln.example/"><script>` },
      closing: [typed],
    };
    const html = String(brandedMail({ name: typed, sender_name: typed, logo_url: `/logos/"><script>` }, from, origin, hostile).html);
    expect(html).not.toMatch(/<script|<img src=x|onerror="/);
    expect(html.match(/<img /g)).toHaveLength(1);
  });
});
