import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkSite } from '@webkiln/site-check';
import { type ComposedSite, compose } from './compose.ts';
import { type EditedSite, edit } from './edit/edit.ts';
import { kindNames } from './kinds.ts';
import { languageOf, readLanguages } from './languages.ts';
import { randomFrom } from './random.ts';
import { siteOf, specificationPath } from './site.ts';
import { documentedEdits, documentedLocales } from './testing/documented-edits.ts';
import { contrast } from './themes/color.ts';
import { type Palette, palettesOf, textOnBackground } from './themes/palette.ts';
import { themeNames } from './themes/theme.ts';
import { themes } from './themes/themes.ts';

describe('compose', () => {
  const pagesOf = ({ files }: ComposedSite) => [...files].filter(([path]) => path.endsWith('.html'));
  const visible = (html: string) =>
    html
      .replace(/<style[\s\S]*?<\/style>|<head[\s\S]*?<\/head>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&#39;', '’');
  const textOf = (composed: ComposedSite) =>
    pagesOf(composed)
      .map(([, html]) => visible(html))
      .join('\n');

  const anyOf = (list: string) => new RegExp(`(?<!\\p{L})(?:${list})(?!\\p{L})`, 'iu');
  /** Words that address a visitor formally or informally, as far as they are not other words too. */
  const formal = {
    en: /$^/,
    de: /[a-zäöüß,] (?:Sie|Ihnen|Ihr|Ihre[nmrs]?)(?!\p{L})/u,
    fr: /$^/,
    es: anyOf('usted|díganos|escríbanos|pregúntenos'),
  };
  const informal = {
    en: /$^/,
    de: anyOf('du|dich|dir|dein|deine[nmrs]?|euch'),
    fr: anyOf('tu|toi|tes'),
    es: anyOf('tú|tu|tus|contigo|dinos|escríbenos|pregúntanos'),
  };

  const everyKind = documentedLocales.flatMap((locale) => kindNames.map((kind) => ({ locale, kind })));

  describe.each(everyKind)('$kind in $locale', ({ locale, kind }) => {
    const { noun } = languageOf(locale).kinds[kind];
    const composed = compose({ prompt: kind === 'business' ? 'website' : noun, seed: `${kind}-1`, locale });

    test('is recognised by its own word and has no finding', () => {
      expect(composed.site.kind).toBe(kind);
      expect(pagesOf(composed)).toHaveLength(8);
      expect(checkSite(composed.files)).toEqual([]);
    });

    test('says nothing that only its owner knows: no number, price, address or placeholder', () => {
      const text = textOf(composed);
      expect(text).not.toMatch(/\d|@|€|\$|£/);
      expect(text).not.toMatch(/[{}[\]|]|undefined|NaN/);
      for (const placeholder of composed.site.placeholders) expect(text).not.toContain(placeholder);
      expect(composed.site.placeholders.length).toBeGreaterThan(1);
    });

    test('addresses visitors in one form only', () => {
      const form = languageOf(locale).informalKinds.includes(kind) ? formal[locale] : informal[locale];
      expect(textOf(composed)).not.toMatch(form);
    });
  });

  test('every direction has readable text in light and dark, whatever colors the user chose', () => {
    const chosen = [
      {},
      ...['#ffffff', '#000000', '#ffff00', '#2f7d4f', '#777777'].flatMap((hex) => [
        { accent: hex },
        { header: hex },
        { background: hex },
        { accent: hex, header: hex, background: hex },
      ]),
    ];
    const palettes = themeNames.flatMap((direction) =>
      chosen.flatMap((colours) =>
        ['a', 'b', 'c', 'd'].flatMap(
          (seed) => Object.values(palettesOf({ kind: 'dentist', direction, colours, seed, scheme: 'auto' })) as Palette[],
        ),
      ),
    );
    const ratios = palettes.flatMap((palette) =>
      textOnBackground.flatMap(([text, grounds]) => grounds.map((ground) => contrast(palette[text], palette[ground]))),
    );
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5);
  });

  test('directions differ in layout, not in color alone', () => {
    const layouts = themeNames.map((name) => {
      const { header, heroes, lists, images, rhythm, radius } = themes[name];
      return JSON.stringify([header, heroes, lists, images, rhythm, radius]);
    });
    expect(new Set(layouts).size).toBe(themeNames.length);
  });

  test('equal arguments give equal files, and another seed gives another site', () => {
    const prompt = 'build a bakery site in Lyon';
    expect(compose({ prompt, seed: 'a' })).toEqual(compose({ prompt, seed: 'a' }));
    const sites = ['a', 'b', 'c', 'd', 'e', 'f'].map((seed) => compose({ prompt, seed }).files.get('index.html'));
    expect(new Set(sites).size).toBe(sites.length);
  });

  test.each([
    ['build a bakery site in Lyon', { kind: 'bakery', locale: 'en', place: 'Lyon', name: 'Lyon Bakery', isNameProvisional: true }],
    [
      'Erstelle eine Website für meine Tischlerei in Freiburg im Breisgau',
      { kind: 'carpenter', locale: 'de', place: 'Freiburg im Breisgau' },
    ],
    ['un site pour un cabinet dentaire à Lyon', { kind: 'dentist', locale: 'fr', place: 'Lyon' }],
    [
      'crea una web para mi peluquería en Sevilla, llamada "Corte Fino"',
      { kind: 'hairdresser', locale: 'es', place: 'Sevilla', name: 'Corte Fino', isNameProvisional: false },
    ],
    [
      'Yogastudio namens Atemraum in Berlin, warm, mit Preisen',
      { kind: 'yoga', locale: 'de', place: 'Berlin', name: 'Atemraum', direction: 'craft' },
    ],
    ['Autowerkstatt Müller in Köln, dunkel', { kind: 'garage', name: 'Autowerkstatt Müller', place: 'Köln', scheme: 'dark' }],
    ['portfolio for photographer Jane Doe', { kind: 'photographer', name: 'Jane Doe' }],
    ['A website for a plumber in blue', { kind: 'plumber', place: undefined, colours: { accent: '#2563c9' } }],
    ['florist in lyon', { kind: 'florist', place: 'Lyon' }],
    ['a bakery site in French', { kind: 'bakery', locale: 'fr', place: undefined }],
    ['We are a SaaS startup', { kind: 'software', place: undefined }],
    ['', { kind: 'business', locale: 'en' }],
  ])('%j is understood', (prompt, expected) => expect(compose({ prompt, seed: 'a' }).site).toMatchObject(expected));

  test('facts of the prompt are on the site, and sections that it wishes', () => {
    const prompt = `Website for Harbour Bakery in Leeds with a newsletter and a team. Open: Tue–Fri 7–15, Sat 8–13. Phone +44 113 496 0000, hello@harbour.example, https://instagram.com/harbour
Address: 12 Quay Street
Prices: country loaf 5.80 £, rye 6.40 £`;
    const composed = compose({ prompt, seed: 'a' });
    const text = textOf(composed);
    for (const fact of [
      'Harbour Bakery',
      'Tue–Fri 7:00–15:00',
      'Sat 8:00–13:00',
      '+44 113 496 0000',
      'hello@harbour.example',
      '12 Quay Street',
      'country loaf',
    ])
      expect(text).toContain(fact);
    expect(composed.site.pages[0]?.sections.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['newsletter', 'team', 'prices']));
    expect(checkSite(composed.files)).toEqual([]);
  });

  test.each([
    ['markup', 'bakery called "<script>alert(1)</script><img src=x onerror=alert(1)>" in "><svg onload=alert(1)>'],
    ['null bytes', 'bakery\0 called "A\0B" in Ly\0on'],
    ['right-to-left text', 'bakery called "\u202Eمخبز\u202C" in Lyon'],
    ['emoji', '🥐 bakery called "🥐🥐🥐" in Lyon 👩🏽‍🍳'],
    ['lone surrogates', 'bakery called "\uD800" in \uDC00'],
    ['10,000 characters', `bakery called "${'é<'.repeat(5000)}"`],
    ['100,000 words', 'bakery in Lyon '.repeat(100_000)],
    ['the end of its data', 'bakery called "</script><script>alert(1)</script>" in Lyon, phone +44 113 496 0000'],
    ['a template', 'bakery called "{name} [a|b]" in Lyon'],
  ])('%s in a prompt: no markup gets through, and the site is whole and bounded', (_, prompt) => {
    const composed = compose({ prompt, seed: 'hostile' });
    expect(composed.site.name.length).toBeLessThanOrEqual(80);
    expect(checkSite(composed.files)).toEqual([]);
    for (const [path, content] of composed.files) {
      expect(content.length).toBeLessThan(64 * 1024);
      expect(content.isWellFormed()).toBe(true);
      expect(content).not.toMatch(/\0|\u202E/);
      if (path !== specificationPath) expect(content).not.toMatch(/<script(?! type="application\/ld\+json">)|<img src=x|<svg onload/);
    }
    expect(siteOf(composed.files)).toEqual(composed.site);
  });

  test('what the first prompt asks for in vain is named in the answer', () => {
    const { did } = compose({ prompt: 'Website für ein Café in Leipzig mit Online-Shop', seed: 'a' });
    expect(did).toContain('Einen Online-Shop kann ich nicht einbauen');
    expect(compose({ prompt: 'a café in Leeds', seed: 'a' }).did).not.toContain('I can’t');
  });

  test('a site says nothing of what is not known yet, and asks its owner for it', () => {
    const composed = compose({ prompt: 'bakery in Lyon', seed: 'a' });
    const ids = pagesOf(composed).flatMap(([, html]) => [...html.matchAll(/<section [^>]*id="([^"]+)"/g)].map(([, id]) => id));
    for (const kind of ['menu', 'prices', 'team', 'hours', 'visit', 'season', 'news']) expect(ids).not.toContain(kind);
    expect(composed.site.placeholders).toContain('Menu: your dishes and drinks with their prices');
    expect(composed.suggestions.length).toBeGreaterThan(1);
    expect(composed.site.placeholders).toEqual(expect.arrayContaining([...composed.suggestions]));
  });

  test('hours, menu, prices, address and phone are structured data of schema.org, from which no text breaks out', () => {
    const prompt = `Café called </script>Tom & "Ann" in Leeds. Open Mon-Fri 7-19, Sat 8:30am-2pm, Sun closed. Phone +44 113 496 0000
Address: 12 Quay Street
Menu: espresso 2.50 £, croissant 2 £
Prices: room for an evening 60 £`;
    const page = compose({ prompt, seed: 'a' }).files.get('index.html') ?? '';
    const data = JSON.parse(page.match(/<script type="application\/ld\+json">([\s\S]*?)<\/script>/)?.[1] ?? '');
    expect(data).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'CafeOrCoffeeShop',
      telephone: '+44 113 496 0000',
      address: { '@type': 'PostalAddress', streetAddress: '12 Quay Street', addressLocality: 'Leeds' },
      openingHoursSpecification: [
        { dayOfWeek: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'], opens: '07:00', closes: '19:00' },
        { dayOfWeek: ['Saturday'], opens: '08:30', closes: '14:00' },
      ],
      hasMenu: { hasMenuItem: [{ name: 'espresso', offers: { price: '2.50', priceCurrency: 'GBP' } }, { name: 'croissant' }] },
      makesOffer: [{ itemOffered: { name: 'room for an evening' }, price: '60' }],
    });
    expect(compose({ prompt: 'café', seed: 'a' }).files.get('index.html')).not.toContain('<script');
  });

  test.each([
    ['website for a tattoo studio in Leeds. We offer blackwork, fine line and cover-ups', 'Leeds Tattoo Studio', 'Tattoo studio in Leeds'],
    ['Website für eine Imkerei in Graz', 'Imkerei Graz', 'Imkerei in Graz'],
    ['un site pour mon studio de tatouage', 'Studio de tatouage', 'Studio de tatouage'],
    ['Somos una empresa de mudanzas', 'Empresa de mudanzas', 'Empresa de mudanzas'],
  ])('%s: a business of no known kind is called by its own words', (prompt, name, kicker) => {
    const composed = compose({ prompt, seed: 'a' });
    expect(composed.site).toMatchObject({ kind: 'business', name, isNameProvisional: true });
    expect(composed.files.get('index.html')).toContain(`<p class="kicker">${kicker}</p>`);
    if (prompt.includes('offer')) expect(textOf(composed)).toMatch(/Blackwork[\s\S]*Fine line[\s\S]*Cover-ups/);
  });

  test.each(documentedLocales)('a prompt that names nothing makes no placeholder of a company: %s', (locale) => {
    expect(textOf(compose({ prompt: 'website', seed: 'a', locale }))).not.toMatch(/company|firma|unternehmen|entreprise|empresa/i);
  });

  test('a specification that is missing, broken, too large or not ours is undefined', () => {
    const { files, site } = compose({ prompt: 'bakery', seed: 'a' });
    const read = (content: string) => siteOf(new Map([[specificationPath, content]]));
    expect(siteOf(files)).toEqual(site);
    expect(siteOf(new Map())).toBeUndefined();
    expect(read('{')).toBeUndefined();
    expect(read(`${JSON.stringify(site)}${' '.repeat(300 * 1024)}`)).toBeUndefined();
    expect(read(JSON.stringify({ ...site, extra: 1 }))).toBeUndefined();
    expect(read(JSON.stringify({ ...site, colours: { accent: 'red;} body{display:none' } }))).toBeUndefined();
    expect(read(JSON.stringify({ ...site, facts: { ...site.facts, links: ['javascript:alert(1)'] } }))).toBeUndefined();
  });

  test.each([
    'أنشئ موقعًا لمخبز في ليون',
    'צור אתר למאפייה בליון',
    'リヨンのパン屋のサイトを作って',
    'сделай сайт для пекарни в Лионе',
    'a bakery site in Lyon, in Arabic',
    'eine Bäckerei in Lyon auf Türkisch',
    'crea un sito per il mio negozio',
    'stwórz stronę dla piekarni',
  ])('a prompt in or for another language gets a site, and is told which languages there are: %s', (prompt) => {
    const { did, files } = compose({ prompt, seed: 'other' });
    expect(did).toMatch(
      /English, German, French, and Spanish|Englisch, Deutsch, Französisch und Spanisch|inglés, alemán, francés y español/,
    );
    expect(checkSite(files)).toEqual([]);
  });

  test.each([
    'a Greek restaurant in Lyon',
    'une pizzeria italienne à Paris',
    'a bakery in Łódź called São Paulo',
    'a Japanese garden designer in Paris',
  ])('what only has to do with another country is not taken for its language: %s', (prompt) =>
    expect(compose({ prompt, seed: 'other' }).did).not.toMatch(/such as those|comme celles/),
  );
});

describe('languages', () => {
  const source = import.meta.dirname;
  const english = readFileSync(path.join(source, 'languages/en.json'), 'utf8');
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'webkiln-languages-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Reads English and a language that is English but for one change. */
  function readChanged(from: string, to: string) {
    expect(english).toContain(from);
    writeFileSync(path.join(folder, 'en.json'), english);
    writeFileSync(path.join(folder, 'xx.json'), english.replace(from, to));
    return readLanguages(pathToFileURL(`${folder}/`));
  }

  test('every language is complete, the one with the lowest rank first', () => {
    expect([...readLanguages(pathToFileURL(path.join(source, 'languages/'))).keys()]).toEqual(['en', 'de', 'fr', 'es']);
  });

  test.each([
    ['misses a text', '"skip": "Skip to content",', '', 'interface.skip'],
    ['has a text that is none of ours', '"skip":', '"slip": "", "skip":', 'slip'],
    ['misses a kind of business', '"garage": {', '"garages": {', 'garage'],
    ['misses a part that English has', '"action": "Ask about vouchers"', '"text": ""', 'sections.vouchers.action'],
    [
      'has a part that English has not',
      '"heading": "Opening hours",',
      '"heading": "Opening hours", "action": "Ask",',
      'sections.hours.action',
    ],
    ['misses a placeholder of a reply', 'The site is called “{value}” now.', 'The site has a new name.', 'replies.renamed'],
    ['misses a placeholder of a text', 'In {place} and around.', 'Around.', 'sections.area.text'],
    ['has an unknown placeholder', '"Book an appointment"', '"Book in {town}"', 'kinds.hairdresser.action'],
  ])('a language that %s is refused, and the message names it', (_what, from, to, name) => {
    expect(() => readChanged(from, to)).toThrow(name);
  });

  test('a fifth language is one more file: sites, edits and replies are in it, and prompts ask for it', () => {
    cpSync(source, path.join(folder, 'src'), { recursive: true });
    mkdirSync(path.join(folder, 'node_modules/@webkiln'), { recursive: true });
    for (const name of ['zod', '@webkiln/contract', '@webkiln/site-check'])
      symlinkSync(path.resolve(source, '../node_modules', name), path.join(folder, 'node_modules', name));
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(folder, 'src/languages/xx.json'), pseudoLanguage());
    const program = `
    const { compose, edit } = await import('./src/index.ts');
    const made = compose({ prompt: 'a bakery site in pseudo', seed: 'one' });
    const { did } = edit({ ...compose({ prompt: 'bakery', seed: 'one' }), sentence: 'translate to pseudo' });
    console.log(JSON.stringify({ locale: made.site.locale, page: made.files.get('index.html'), slug: made.site.pages[1].slug, did }));`;
    const output = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { locale, page, slug, did } = JSON.parse(output);
    expect({ locale, slug }).toEqual({ locale: 'xx', slug: 'offersx' });
    expect(page).toContain('<html lang="xx">');
    expect(page).toContain('Skip to content ·x·');
    expect(did).toBe('The site is in English now. Texts that you wrote yourself stay as they are. ·x·');
  });

  /** English with a mark behind each text. */
  function pseudoLanguage(): string {
    const { slugs, interface: labels, replies, ...others } = JSON.parse(english);
    const marked = (texts: Record<string, string>, mark: string) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text + mark]));
    return JSON.stringify({
      ...others,
      rank: 5,
      slugs: marked(slugs, 'x'),
      interface: marked(labels, ' ·x·'),
      replies: marked(replies, ' ·x·'),
      recognition: { frequentWords: 'xxxx', requests: 'in_pseudo to_pseudo', names: 'pseudo' },
    });
  }
});

describe('many edits', () => {
  /** Prompts × edits; COMPOSER_EDITS=50x30 is the long run of docs/composer.md. */
  const [promptCount = 8, editCount = 12] = (process.env.COMPOSER_EDITS ?? '8x12').split('x').map(Number);
  const minUnderstood = 0.9;

  const prompts = Array.from({ length: promptCount }, (_, at) => {
    const locale = documentedLocales[at % documentedLocales.length] ?? 'en';
    const kind = kindNames[(at * 5) % kindNames.length] ?? 'bakery';
    return { locale, seed: `many-${at}`, prompt: `${languageOf(locale).kinds[kind].noun} in Lyon` };
  });

  interface Outcome {
    readonly understood: number;
    readonly findings: readonly unknown[];
  }

  /** Edits one site again and again, in an order that its seed gives. */
  function editOften({ prompt, seed, locale }: (typeof prompts)[number]): Outcome {
    const random = randomFrom(seed);
    let current: Pick<EditedSite, 'site' | 'files'> = compose({ prompt, seed, locale });
    let understood = 0;
    const findings: unknown[] = [];
    for (let count = 0; count < editCount; count += 1) {
      const sentence = documentedEdits[Math.floor(random() * documentedEdits.length)]?.[locale] ?? '';
      const result = edit({ site: current.site, files: current.files, sentence });
      if ('notUnderstood' in result) continue;
      understood += 1;
      current = result;
      findings.push(...checkSite(result.files).map((finding) => ({ sentence, ...finding })));
    }
    return { understood, findings };
  }

  test(`${promptCount} sites stay whole over ${editCount} edits each, and at least 90 % of the documented edits are understood`, () => {
    const outcomes = prompts.map(editOften);
    expect(outcomes.flatMap(({ findings }) => findings)).toEqual([]);
    const understood = outcomes.reduce((sum, outcome) => sum + outcome.understood, 0);
    expect(understood / (promptCount * editCount)).toBeGreaterThanOrEqual(minUnderstood);
  });
});
