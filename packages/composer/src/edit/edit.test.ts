import type { ListedPicture } from '@webkiln/contract';
import { checkSite } from '@webkiln/site-check';
import { compose } from '../compose.ts';
import { languageOf } from '../languages.ts';
import { sectionNames } from '../sections/section-names.ts';
import { type Site, siteOf } from '../site.ts';
import { documentedEdits, documentedLocales } from '../testing/documented-edits.ts';
import { promptsWithWishes, type Result, type Wish } from '../testing/prompts-with-wishes.ts';
import { type EditedSite, edit } from './edit.ts';
import { editTypedText } from './edit-typed-text.ts';

describe('edit', () => {
  const bakery = (locale = 'en') => compose({ prompt: 'bakery', seed: 'bakery-0', locale });

  function done(options: Parameters<typeof edit>[0]): EditedSite {
    const result = edit(options);
    if ('notUnderstood' in result) throw new Error(`${options.sentence}: ${result.notUnderstood}`);
    return result;
  }

  function afterEdits(sentences: readonly string[]): Pick<EditedSite, 'site' | 'files'> {
    let current: Pick<EditedSite, 'site' | 'files'> = bakery();
    for (const sentence of sentences) current = done({ site: current.site, files: current.files, sentence });
    return current;
  }

  describe.each(documentedLocales)('in %s', (locale) => {
    test.each(documentedEdits.map((documented) => ({ sentence: documented[locale], documented })))(
      '$sentence',
      ({ sentence, documented }) => {
        const { site, files } = bakery(locale);
        const result = done({ site, files, sentence });
        expect(documented.changes(site, result.site)).toBe(true);
        expect(result.files).not.toEqual(files);
        expect(siteOf(result.files)).toEqual(result.site);
        expect(checkSite(result.files)).toEqual([]);
      },
    );
  });

  test.each(documentedLocales)('in %s, what asks the owner for a fact begins a message that is understood', (locale) => {
    const { sections, interface: labels } = languageOf(locale);
    const asked = [labels.namePlaceholder, ...Object.values(sections).flatMap(({ placeholder }) => placeholder ?? [])];
    const { site, files } = bakery(locale);
    const pages = site.pages.map((page) =>
      page.id === 'home' ? { ...page, sections: sectionNames.slice(2, 31).map((kind) => ({ kind })) } : page,
    );
    const values: readonly (readonly [begin: RegExp, value: string])[] = [
      [/^(?:Menu|Speisekarte|Carte|Carta|Pri|Prei|Tarif|Precio)/, 'Espresso 2,50 €, Tee 3 €'],
      [/^(?:Opening|Öffnung|Horair|Horario)/, '9-17'],
      [/^(?:Phone|Tel|Tél)/, '+33 4 72 00 00 00'],
      [/link|Link|lien|enlace/, 'https://ana.example/'],
      [/quote|Zitat|citation|cita:/, '“Lovely” by Tom'],
      [/^(?:Our address|Unsere|Notre|Nuestra)/, 'Hafenstraße 12'],
      [/^(?:Team|Équipe|Equipo)/, 'Ana Ruiz'],
    ];
    for (const placeholder of asked) {
      const begin = placeholder.match(/^.*?\s?:\s/)?.[0] ?? '';
      const sentence = `${begin}${values.find(([pattern]) => pattern.test(begin))?.[1] ?? 'Warm bread'}`;
      expect(edit({ site: { ...site, pages }, files, sentence })).toMatchObject({
        site: expect.not.objectContaining({ facts: site.facts, pages, name: site.name }),
      });
    }
  });

  test('a second page has its place in the navigation, moves, is renamed and goes', () => {
    const path = (result: Pick<EditedSite, 'site'>) => result.site.pages.filter(({ isListed }) => isListed).map(({ slug }) => slug);
    const added = done({ ...bakery(), sentence: 'Add a second page about our roastery with the text: We roast on Tuesdays. Come by.' });
    expect(path(added)).toEqual(['', 'offers', 'about', 'our-roastery', 'contact']);
    expect(added.files.get('our-roastery.html')).toContain('<p>We roast on Tuesdays. Come by.</p>');
    for (const page of ['index.html', 'about.html']) expect(added.files.get(page)).toContain('<a href="/our-roastery">Our roastery</a>');
    const moved = done({ ...added, sentence: 'Move the page Our roastery before the offers page, and rename it to Roasting' });
    expect(path(moved)).toEqual(['', 'our-roastery', 'offers', 'about', 'contact']);
    expect(moved.files.get('index.html')).toContain('<a href="/our-roastery">Roasting</a>');
    const gone = done({ ...moved, sentence: 'Delete the Roasting page' });
    expect(gone.files.has('our-roastery.html')).toBe(false);
    expect(gone.files.get('index.html')).not.toContain('our-roastery');
  });

  test('two wishes that contradict each other: the first is done, and the second is named', () => {
    const { site, did } = done({ ...bakery(), sentence: 'Make it red and make it blue' });
    expect(site.colours.accent).toBe('#c8322b');
    expect(did).toContain('“make it blue” does not go with the rest');
  });

  test('a message of very many wishes is bounded, and says so', () => {
    const { did } = done({ ...bakery(), sentence: Array.from({ length: 40 }, () => 'make it red').join('. ') });
    expect(did).toContain('send me the rest again');
  });

  test('a section without content is asked for, and shown once it has some', () => {
    const added = done({ ...bakery(), sentence: 'Add a pricing section' });
    expect(added.files.get('index.html')).not.toContain('id="prices"');
    expect(added.suggestions).toEqual(['Prices: what you do and what it costs']);
    const filled = done({ ...added, sentence: 'Prices: loaf 5.80 €, roll 1.20 €' });
    expect(filled.files.get('index.html')).toContain('id="prices"');
    expect(filled.suggestions).toEqual([]);
  });

  test('what an edit removed is offered again, and comes back as it was', () => {
    const changed = afterEdits(['Change the heading of the opening hours to “Open”', 'Remove the opening hours on the home page']);
    const again = done({ ...afterEdits(['Remove the opening hours', 'Remove the opening hours']), sentence: 'Remove the opening hours' });
    expect(again.did).toBe('The section “hours” is removed already. Say “bring back the hours” to restore it.');
    expect(again.files.get('index.html')).toBe(
      afterEdits(['Remove the opening hours', 'Remove the opening hours']).files.get('index.html'),
    );
    const back = done({ ...changed, sentence: 'Bring back the opening hours' });
    expect(back.site.pages[0]?.sections.find(({ kind }) => kind === 'hours')?.heading).toBe('Open');
  });

  test('an edit of what was removed says so, and says how to bring it back', () => {
    const did = (removal: readonly string[], sentence: string) => done({ ...afterEdits(removal), sentence });
    expect(did(['Add a newsletter', 'Remove the newsletter'], 'Change the text of the newsletter to “Ask”').did).toContain(
      'Say “bring back the newsletter”',
    );
    const renamed = did(['Remove the about page'], 'Rename the about page to Us');
    expect(renamed.did).toContain('Say “add a page called About”');
    const { site, files } = renamed;
    expect(
      done({ site, files, sentence: 'Add a page called About' }).site.pages.find(({ id }) => id === 'about')?.sections.length,
    ).toBeGreaterThan(2);
  });

  describe('files that were changed by hand', () => {
    const changedBy = (path: string, from: string, to: string) => {
      const { site, files } = bakery();
      const text = files.get(path) ?? '';
      expect(text).toContain(from);
      return { site, files: new Map<string, string | Uint8Array>([...files, [path, text.replace(from, to)]]) };
    };

    test('a page keeps its change while the edit happens elsewhere in it', () => {
      const handmade = '<p class="mine">Mind the dog.</p>\n</footer>';
      const result = done({ ...changedBy('index.html', '</footer>', handmade), sentence: 'Change the title to “Warm at seven”' });
      expect(result.files.get('index.html')).toContain('<h1>Warm at seven</h1>');
      expect(result.files.get('index.html')).toContain('Mind the dog.');
      expect(checkSite(result.files)).toEqual([]);
      const later = done({ ...result, sentence: 'Add a gallery' });
      expect(later.files.get('index.html')).toContain('Mind the dog.');
      expect(later.files.get('index.html')).toContain('id="gallery"');
    });

    test('a style sheet keeps its change while its colors change', () => {
      const result = done({
        ...changedBy('style.css', '*, *::before', '.mine { color: red }\n*, *::before'),
        sentence: 'Make the header green',
      });
      expect(result.files.get('style.css')).toContain('.mine { color: red }');
      expect(result.files.get('style.css')).toContain('--header: #2f7d4f;');
    });

    test('an image that was replaced stays, even by bytes that are no text', () => {
      const { site, files } = bakery();
      const photo = new Uint8Array([0xff, 0xd8, 0xff]);
      const result = done({
        site,
        files: new Map<string, string | Uint8Array>([...files, ['images/hero.svg', photo]]),
        sentence: 'Make it red',
      });
      expect(result.files.get('images/hero.svg')).toBe(photo);
      expect(result.did).toContain('images/hero.svg was changed by hand');
    });

    test('a change at the same place wins over the edit, which says so and changes nothing', () => {
      const { site, files } = bakery();
      const heading = String(files.get('index.html')).match(/<h1>.*<\/h1>/)?.[0] ?? '';
      const start = changedBy('index.html', heading, '<h1>Mine</h1>');
      expect(edit({ ...start, site, sentence: 'Change the title to “Yours”' })).toMatchObject({
        notUnderstood: expect.stringContaining('index.html was changed by hand at this place'),
      });
    });
  });

  test.each(['flurb the gnarl', '', '?'.repeat(50), '\0', 'What is the weather like?'])(
    '%j is answered plainly, with three things that can be done',
    (sentence) => {
      const { site, files } = bakery();
      const result = edit({ site, files, sentence });
      if (!('notUnderstood' in result)) throw new Error(result.did);
      expect(result.notUnderstood).toBe('I did not understand that. I can do these, for example:');
      expect(new Set(result.suggestions).size).toBe(3);
      for (const suggestion of result.suggestions) done({ site: { ...site }, files, sentence: suggestion });
    },
  );

  test('markup in an edit stays text', () => {
    const sentence = 'Change the title to “<script>alert(1)</script>& <img src=x onerror=alert(1)>”';
    const page = String(done({ ...bakery(), sentence }).files.get('index.html'));
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&amp; &lt;img');
    expect(page).not.toMatch(/<script|<img src=x/);
  });

  test('a sentence of 100,000 characters is read up to 2,000, and its text is bounded', () => {
    const { site } = done({ ...bakery(), sentence: `Change the subtitle to “${'x '.repeat(50_000)}”` });
    expect(site.pages[0]?.sections[0]?.text?.length).toBeLessThanOrEqual(2000);
  });

  describe('pictures', () => {
    const listed = (name: string, width = 1600): ListedPicture => ({
      id: `00000000-0000-4000-8000-${Buffer.from(name).toString('hex').padStart(12, '0').slice(0, 12)}`,
      name,
      alt: '',
      files: [
        ...[480, 960, 1600].map((each) => ({ path: `pictures/${name}-${each}.webp`, width: each, height: 400, format: 'webp' as const })),
        { path: `pictures/${name}.png`, width, height: 400, format: 'png' },
      ],
      created_at: '2026-01-01T00:00:00.000Z',
    });
    const [oven, bread, logo] = [listed('oven'), listed('bread'), listed('our-logo')];
    const withFiles = (files: EditedSite['files']) => {
      const shown = [oven, bread, logo].flatMap((each) => each.files.map(({ path }) => [path, new Uint8Array()] as const));
      return new Map([...files, ...shown]);
    };
    const slotsOf = ({ site }: Pick<EditedSite, 'site'>) =>
      Object.fromEntries([
        ...Object.entries(site.pictures).map(([slot, { name }]) => [slot, name]),
        ['gallery', site.gallery.map(({ name }) => name)],
      ]);

    test.each<[sentence: string, pictures: ListedPicture[], slots: object]>([
      ['Use this photo in the hero', [oven], { hero: 'oven', gallery: [] }],
      ['Nimm dieses Foto für den Abschnitt über uns', [oven], { about: 'oven', gallery: [] }],
      ['Mets cette photo en haut', [oven], { hero: 'oven', gallery: [] }],
      ['Usa esto como logo', [oven], { logo: 'oven', gallery: [] }],
      ['Here it is', [oven], { hero: 'oven', gallery: [] }],
      ['Make the header green', [logo], { logo: 'our-logo', gallery: [] }],
      ['Add these to the gallery', [oven, bread], { gallery: ['oven', 'bread'] }],
      ['Some impressions', [oven, bread], { gallery: ['oven', 'bread'] }],
      ['Use this as the logo and make the header green', [oven], { logo: 'oven', gallery: [] }],
      ['Change the title to “Our photo in the hero”', [oven], { hero: 'oven', gallery: [] }],
    ])('%s: %#', (sentence, pictures, slots) => {
      const result = done({ ...bakery(), sentence, pictures });
      expect(slotsOf(result)).toEqual(slots);
      expect(result.did).not.toContain('did not understand');
      expect(checkSite(withFiles(result.files))).toEqual([]);
      if (/header green/.test(sentence)) expect(result.site.colours.header).toBeDefined();
      if (/title/.test(sentence)) expect(String(result.files.get('index.html'))).toContain('Our photo in the hero</h1>');
    });

    test('a picture takes the place of the image that was clicked, drawn or not; removed, the drawing is back', () => {
      const first = done({ ...bakery(), sentence: 'Replace this picture', pictures: [oven], clicked: '/images/about.svg' });
      expect(slotsOf(first)).toEqual({ about: 'oven', gallery: [] });
      const second = done({ ...first, sentence: 'Replace this picture', pictures: [bread], clicked: '/pictures/oven-960.webp' });
      expect(slotsOf(second)).toEqual({ about: 'bread', gallery: [] });
      const removed = done({ ...second, sentence: 'Remove the photo from the about section' });
      expect(slotsOf(removed)).toEqual({ gallery: [] });
      expect(removed.files.get('index.html')).toBe(bakery().files.get('index.html'));
    });

    test('a site takes over what its library says now: another description, and no picture that was deleted', () => {
      const pictured = done({ ...bakery(), sentence: 'Use this photo in the hero', pictures: [oven] });
      const both = done({ ...pictured, sentence: 'Use this as the logo', pictures: [logo] });
      const next = done({ ...both, sentence: 'Make it dark', library: [{ ...oven, alt: 'The <oven>' }] });
      expect(slotsOf(next)).toEqual({ hero: 'oven', gallery: [] });
      expect(String(next.files.get('index.html'))).toContain('alt="The &lt;oven&gt;"');
    });

    test('a new site has the pictures of its prompt: one in the hero, and a logo as icon and in previews of links', () => {
      const page = (pictures: ListedPicture[]) =>
        String(compose({ prompt: 'bakery in Lyon', seed: 'a', pictures }).files.get('index.html'));
      expect(page([oven])).toContain('src="/pictures/oven-960.webp" srcset="/pictures/oven-480.webp 480w, /pictures/oven-960.webp 960w');
      for (const place of [
        '<img class="logo" src="/pictures/our-logo-960.webp"',
        '<link rel="icon" href="/pictures/our-logo.png" type="image/png">',
      ])
        expect(page([logo])).toContain(place);
      expect(page([logo])).toContain('<meta property="og:image" content="/pictures/our-logo.png">');
    });
  });

  test.each([
    ['translate the site to Arabic', 'English, German, French, and Spanish'],
    ['Übersetze die Website ins Polnische, auf Polnisch', 'Englisch, Deutsch, Französisch und Spanisch'],
    ['اجعل العنوان أخضر', 'English, German, French, and Spanish'],
  ])('a message that needs another language is answered with those that the composer has: %s', (sentence, languages) => {
    const { site, files } = compose({ prompt: 'a bakery in Lyon', seed: 'languages' });
    expect(edit({ site, files, sentence })).toMatchObject({ notUnderstood: expect.stringContaining(languages) });
  });
});

describe('edit typed text', () => {
  type Files = Map<string, string>;
  const prompt =
    'A bakery in Lyon called Chez Marie. Menu: Rye 4 €, Baguette 2 €. Team: Ana Ruiz, baker. Phone 04 78 00 00 00. With questions.';
  const bakery = (): Files => new Map([...compose({ prompt, seed: 'bakery-0' }).files] as [string, string][]);
  const voids = new Set(['meta', 'link', 'img', 'input', 'br']);

  /** The texts in the body of a rendered page with their places, as browsers number them. */
  function textsOf(page: string): { at: number[]; text: string }[] {
    const texts: { at: number[]; text: string }[] = [];
    const counts = [0];
    const [, rest = ''] = page.split(/<html[^>]*>\n/);
    for (const token of rest.match(/<[^>]+>|[^<]+/g) ?? []) {
      const [, end, name = ''] = /^<(\/?)([a-z0-9]+)/.exec(token) ?? [];
      if (end === '/') counts.pop();
      else {
        const at = counts.map((count, level) => (level === counts.length - 1 ? count : count - 1));
        counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
        if (name === '' && token.trim() !== '' && at[0] === 2) texts.push({ at, text: token });
        if (name !== '' && !voids.has(name)) counts.push(0);
      }
    }
    return texts;
  }

  const unescaped = (text: string) =>
    text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
  const editedAt = (files: Files, page: string, { at, text }: { at: number[]; text: string }, typed: string) =>
    editTypedText(files, { page, at, before: unescaped(text), text: typed });
  const wished = (files: Files, sentence: string): Files => {
    const result = edit({ site: siteOf(files) as Site, files, sentence });
    if ('notUnderstood' in result) throw new Error(result.notUnderstood);
    return new Map([...result.files] as [string, string][]);
  };

  test('every text of a composed page can be typed over, and most become part of what the site is made of', () => {
    const files = bakery();
    const places = textsOf(files.get('index.html') ?? '');
    const changes = places.map((place) => editedAt(files, 'index.html', place, 'Typed & kept'));
    const unkept = places.filter((_, index) => !changes[index]?.get('index.html')?.includes('Typed &amp; kept'));
    expect(unkept).toEqual([]);
    const asData = changes.filter((changed) => changed?.has('webkiln.json')).length;
    expect(asData / places.length).toBeGreaterThan(0.7);
  });

  test.each([
    ['h1', /<h1>([^<]+)<\/h1>/],
    ['lead', /<p class="lead">([^<]+)<\/p>/],
    ['kicker', /<p class="kicker">([^<]+)<\/p>/],
  ])('a typed %s stays through later wishes: another direction, section, scheme and font', (_, pattern) => {
    const files = bakery();
    const home = files.get('index.html') ?? '';
    const shown = home.match(pattern)?.[1];
    const place = textsOf(home).find(({ text }) => text === shown);
    if (place === undefined) throw new Error('the text is missing');
    let current: Files = new Map([...files, ...(editedAt(files, 'index.html', place, 'Bread, <b>slowly</b>') ?? [])]);
    for (const sentence of ['Make it playful', 'Add a pricing section', 'Make it dark', 'Use a serif font']) {
      current = wished(current, sentence);
      expect(current.get('index.html')).toContain('Bread, &lt;b&gt;slowly&lt;/b&gt;');
    }
    expect(checkSite(current)).toEqual([]);
  });

  test('a name that is typed over changes wherever the site shows it', () => {
    const files = bakery();
    const place = textsOf(files.get('index.html') ?? '').find(({ text }) => text === 'Chez Marie');
    if (place === undefined) throw new Error('the name is missing');
    const changed = editedAt(files, 'index.html', place, 'Chez Odile');
    expect(changed?.get('about.html')).toContain('Chez Odile');
    expect(siteOf(changed ?? new Map())?.name).toBe('Chez Odile');
  });
});

describe('wishes', () => {
  const minDone = 0.85;

  type Outcome = 'done' | 'named' | 'ignored';

  /** What visitors read on all pages, in one line per element. */
  const textOf = (files: Result['files']): string =>
    [...files]
      .filter(([path]) => path.endsWith('.html'))
      .map(([, page]) =>
        String(page)
          .replace(/<head>[\s\S]*?<\/head>|<footer class="site[\s\S]*?<\/footer>/g, '')
          .replace(/<[^>]+>/g, '')
          .replaceAll('&amp;', '&')
          .replaceAll('&#39;', "'"),
      )
      .join('\n');

  const outcomes = promptsWithWishes.map((asked, at) => {
    const before = compose({ prompt: asked.site, seed: `wishes-${at}` });
    const result = edit({ site: before.site, files: before.files, sentence: asked.prompt });
    const answer = 'did' in result ? result.did : result.notUnderstood;
    const [after, files] = 'did' in result ? [result.site, result.files] : [before.site, before.files];
    const judge = ({ isDone, named }: Wish): Outcome => {
      if (isDone?.({ before: before.site, after, files, text: textOf(files) }) === true) return 'done';
      return named.test(answer) ? 'named' : 'ignored';
    };
    return { prompt: asked.prompt, answer, wishes: asked.wishes.map(judge), findings: checkSite(files) };
  });
  const all = outcomes.flatMap(({ wishes }) => wishes);
  const share = (outcome: Outcome) => all.filter((each) => each === outcome).length / all.length;

  test('of the wishes of forty messages, every one is done or named as not done, and at least 85 % are done', () => {
    expect(outcomes.filter(({ wishes }) => wishes.includes('ignored'))).toEqual([]);
    expect(share('done')).toBeGreaterThanOrEqual(minDone);
  });

  test('sites stay whole whatever is wished', () => {
    expect(outcomes.flatMap(({ findings }) => findings)).toEqual([]);
  });
});
