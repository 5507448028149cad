import type { SectionName } from '../sections/section-names.ts';
import type { Site } from '../site.ts';

/** A site after an edit, and its pages as visitors read them. */
export interface Result {
  readonly before: Site;
  readonly after: Site;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly text: string;
}

export interface Wish {
  /** What an answer mentions that says the wish was not done. */
  readonly named: RegExp;
  /** True if the site shows it; without it, the composer cannot do the wish at all. */
  readonly isDone?: (result: Result) => boolean;
}

export interface PromptWithWishes {
  /** The sentence that the site was made from. */
  readonly site: string;
  readonly prompt: string;
  readonly wishes: readonly Wish[];
}

const does = (named: RegExp, isDone: NonNullable<Wish['isDone']>): Wish => ({ named, isDone });
const cannot = (named: RegExp): Wish => ({ named });

const colour = (named: RegExp, part: keyof Site['colours'], hex: string) => does(named, ({ after }) => after.colours[part] === hex);
const font = (named: RegExp, value: Site['font']) => does(named, ({ after }) => after.font === value);
const scheme = (named: RegExp, value: Site['scheme']) => does(named, ({ after }) => after.scheme === value);
const look = (named: RegExp, value: Site['direction']) => does(named, ({ after }) => after.direction === value);
const shows = (named: RegExp, text: RegExp) => does(named, (result) => text.test(result.text));
const name = (value: string) => does(/name|Name|nom|nombre/, ({ after }) => after.name === value);
const locale = (value: string) => does(/translat|übersetz|tradui|tradu[cz]/i, ({ after }) => after.locale === value);

const kindsOn = (site: Site, page = 'home') => site.pages.find(({ id }) => id === page)?.sections.map(({ kind }) => kind) ?? [];
const has = (named: RegExp, kind: SectionName, page = 'home') => does(named, ({ after }) => kindsOn(after, page).includes(kind));
const countOf = ({ pages }: Site, kind: SectionName, among: Site) =>
  pages
    .filter(({ id }) => among.pages.some((page) => page.id === id))
    .flatMap(({ sections }) => sections)
    .filter((one) => one.kind === kind).length;
/** There is one less: the home page's, if it had one. */
const hasNot = (named: RegExp, kind: SectionName) =>
  does(named, ({ before, after }) => !kindsOn(after).includes(kind) && countOf(after, kind, before) === countOf(before, kind, before) - 1);
/** The section stands before all but the first of the home page. */
const isFirst = (named: RegExp, kind: SectionName) => does(named, ({ after }) => kindsOn(after).indexOf(kind) === 1);

const listed = (site: Site) => site.pages.filter(({ isListed }) => isListed);
/** A page that was not there, with its file, and a link to it in the navigation of the home page. */
const newPage = (title: RegExp) =>
  does(title, ({ before, after, files }) => {
    const page = listed(after).find(
      (candidate) => title.test(candidate.title ?? '') && !before.pages.some(({ id }) => id === candidate.id),
    );
    return page !== undefined && files.has(`${page.slug}.html`) && String(files.get('index.html')).includes(`href="/${page.slug}"`);
  });
const noPage = (named: RegExp, id: string) =>
  does(named, ({ after, files }) => after.pages.every((page) => page.id !== id) && !files.has(`${id}.html`));
const pageTitle = (id: string, title: RegExp) =>
  does(title, ({ after }) => title.test(after.pages.find((page) => page.id === id)?.title ?? ''));
/** The page's place in the navigation, from 0. */
const pageAt = (named: RegExp, id: string, place: number) => does(named, ({ after }) => listed(after).at(place)?.id === id);

const cafe = 'A website for a café called Brightside in Leeds with opening hours';
const trade = 'A plumber called Pipe & Sons in Bristol, with a gallery';
const salon = 'Hair salon called Curl Up in York';
const german = 'Website für ein Café namens Morgenrot in Leipzig';
const french = 'Un site pour une boulangerie appelée Au Levain à Nantes';
const spanish = 'Crea una web para mi peluquería llamada Corte Fino en Sevilla';

/** As owners of small businesses write to a chat: two or three wishes in a message. */
export const promptsWithWishes: readonly PromptWithWishes[] = [
  {
    site: cafe,
    prompt: 'Make the main colour dark green and use a serif font',
    wishes: [colour(/colou?r/, 'accent', '#1e4d3a'), font(/font/, 'serif')],
  },
  {
    site: cafe,
    prompt: 'Add a second page about our roastery. We are open 7-19.',
    wishes: [newPage(/roastery/i), shows(/7-19/, /Every day 7:00–19:00/)],
  },
  {
    site: cafe,
    prompt: 'Add a booking calendar and make the header green',
    wishes: [cannot(/booking calendar/i), colour(/header/, 'header', '#2f7d4f')],
  },
  {
    site: cafe,
    prompt: 'Our menu: espresso 2.50, cappuccino 3.20, croissant 2, and please make everything a bit warmer',
    wishes: [shows(/menu/, /espresso 2\.50[\s\S]*cappuccino 3\.20[\s\S]*croissant 2/), look(/warm/, 'craft')],
  },
  {
    site: cafe,
    prompt: 'We open Mon-Fri 9-5, Sat 10-14 and our phone is 0113 496 0123',
    wishes: [
      shows(/hours|9-5/, /Mon–Fri 9:00–17:00[\s\S]*Sat 10:00–14:00/),
      does(/phone|0113/, ({ after }) => after.facts.phone === '0113 496 0123'),
    ],
  },
  {
    site: cafe,
    prompt: 'Move the opening hours to the top and remove the call to action',
    wishes: [isFirst(/hours/, 'hours'), hasNot(/call to action|banner/, 'banner')],
  },
  {
    site: cafe,
    prompt: 'Rename us to Brightside Coffee and change the tagline to “Slow mornings, strong coffee”',
    wishes: [name('Brightside Coffee'), shows(/tagline/, /Slow mornings, strong coffee/)],
  },
  {
    site: cafe,
    prompt: 'Translate the site to French and make it blue',
    wishes: [locale('fr'), colour(/blue/, 'accent', '#2563c9')],
  },
  {
    site: cafe,
    prompt: 'Can you add testimonials, a newsletter and a gallery?',
    wishes: [has(/testimonial/, 'quotes'), has(/newsletter/, 'newsletter'), has(/gallery/, 'gallery')],
  },
  {
    site: cafe,
    prompt: 'I want a cream background with dark blue buttons, and an online shop for our beans',
    wishes: [colour(/background/, 'background', '#f4ead8'), colour(/buttons|dark blue/, 'accent', '#1f3a68'), cannot(/online shop/i)],
  },
  {
    site: cafe,
    prompt: 'Delete the about page and put the contact page first in the menu',
    wishes: [noPage(/about/, 'about'), pageAt(/contact/, 'contact', 1)],
  },
  {
    site: cafe,
    prompt: 'Rename the offers page to Drinks & Cake and add a page for events',
    wishes: [pageTitle('offers', /^Drinks & Cake$/), newPage(/events/i)],
  },
  {
    site: cafe,
    prompt: 'Our address is 14 Mill Lane, Leeds, email hello@brightside.example. Also link to https://instagram.com/brightside',
    wishes: [
      shows(/address/, /14 Mill Lane/),
      does(/e-?mail/, ({ after }) => after.facts.email === 'hello@brightside.example'),
      does(/link|instagram/, ({ after }) => after.facts.links.length === 1),
    ],
  },
  {
    site: cafe,
    prompt: 'Closed on Mondays, Tue to Sun 8am to 6pm. Make the texts shorter please.',
    wishes: [shows(/Tue/, /Mon closed[\s\S]*Tue–Sun 8:00–18:00/i), does(/shorter/, ({ after }) => after.length === 'short')],
  },
  {
    site: trade,
    prompt: 'make it look more serious, add prices: call-out £60, boiler service £95, tap repair £45',
    wishes: [look(/serious/, 'clear'), shows(/prices/, /call-out £60[\s\S]*boiler service £95[\s\S]*tap repair £45/)],
  },
  {
    site: trade,
    prompt: 'Get rid of the photos and add an emergency section, our number is 0117 496 0999',
    wishes: [
      hasNot(/photos|gallery/, 'gallery'),
      has(/emergency/, 'emergency'),
      does(/number|0117/, ({ after }) => after.facts.phone === '0117 496 0999'),
    ],
  },
  {
    site: trade,
    prompt: 'Header navy, font sans-serif, and put a WhatsApp chat on it',
    wishes: [colour(/header/i, 'header', '#1f3a68'), font(/font/, 'sans'), cannot(/chat/i)],
  },
  {
    site: trade,
    prompt: 'Add a page called Areas we cover and add a FAQ to the home page',
    wishes: [newPage(/^Areas we cover$/), has(/FAQ|questions/i, 'faq')],
  },
  {
    site: trade,
    prompt: 'Change the headline to Hot water again by tonight and the subtitle to We answer within the hour',
    wishes: [shows(/headline/, /Hot water again by tonight(?! and)/), shows(/subtitle/, /We answer within the hour/)],
  },
  {
    site: trade,
    prompt: 'Move the gallery above the services and make the background white',
    wishes: [
      does(/gallery/, ({ after }) => kindsOn(after).indexOf('gallery') === kindsOn(after).indexOf('offers') - 1),
      colour(/background/, 'background', '#ffffff'),
    ],
  },
  {
    site: trade,
    prompt: 'Add our team: Tom Reed (plumber), Ann Reed (office). Dark mode too.',
    wishes: [shows(/team/, /Tom Reed[\s\S]*plumber[\s\S]*Ann Reed[\s\S]*office/), scheme(/dark/i, 'dark')],
  },
  {
    site: salon,
    prompt: 'Add prices - cut 38, colour 65, blow-dry 25 - and opening hours Tuesday to Saturday 9:30 to 18:00',
    wishes: [shows(/prices/, /cut 38[\s\S]*colour 65[\s\S]*blow-dry 25/), shows(/hours/, /Tue–Sat 9:30–18:00/)],
  },
  {
    site: salon,
    prompt: 'Please make it pink and playful, and add a video of the salon',
    wishes: [colour(/pink/, 'accent', '#c8437d'), look(/playful/, 'playful'), cannot(/video/i)],
  },
  {
    site: salon,
    prompt: 'I’d like a page about bridal hair, a gift voucher section and a rounded font',
    wishes: [newPage(/bridal hair/i), has(/voucher/, 'vouchers'), font(/font/, 'rounded')],
  },
  {
    site: salon,
    prompt: 'Our name is Curl & Co. Email us at hi@curl.example, and remove the about section',
    wishes: [
      does(/name/, ({ after }) => /^Curl & Co\.?$/.test(after.name)),
      does(/e-?mail/i, ({ after }) => after.facts.email === 'hi@curl.example'),
      hasNot(/about/, 'about'),
    ],
  },
  {
    site: salon,
    prompt: 'Put the about page before the offers page; set the main colour to #7a3fb0',
    wishes: [pageAt(/about/, 'about', 1), colour(/colour/, 'accent', '#7a3fb0')],
  },
  {
    site: salon,
    prompt: 'Add a quote: “Best cut in years” by Mia, and customers should be able to pay online',
    wishes: [shows(/quote/, /Best cut in years[\s\S]*Mia/), cannot(/pay/i)],
  },
  {
    site: salon,
    prompt: 'use another layout for the services, bring the colours to black and give it a typewriter font',
    wishes: [
      does(/layout/, ({ after }) =>
        after.pages.some(({ sections }) => sections.some((one) => one.kind === 'offers' && one.layout !== undefined)),
      ),
      colour(/black/, 'accent', '#15151a'),
      font(/font/, 'mono'),
    ],
  },
  {
    site: german,
    prompt: 'Mach die Hauptfarbe dunkelgrün und nimm eine Schrift mit Serifen',
    wishes: [colour(/farbe/i, 'accent', '#1e4d3a'), font(/Schrift/, 'serif')],
  },
  {
    site: german,
    prompt: 'Wir haben täglich 7–19 Uhr geöffnet, Telefon 0341 49 60 123. Füge eine zweite Seite über unsere Rösterei hinzu.',
    wishes: [
      shows(/7–19/, /Täglich 7:00–19:00/),
      does(/Telefon|0341/, ({ after }) => after.facts.phone === '0341 49 60 123'),
      newPage(/Rösterei/),
    ],
  },
  {
    site: german,
    prompt: 'Bitte Galerie und Newsletter hinzufügen und einen Terminkalender zum Buchen einbauen',
    wishes: [has(/Galerie/, 'gallery'), has(/Newsletter/, 'newsletter'), cannot(/Terminkalender/)],
  },
  {
    site: german,
    prompt:
      'Speisekarte: Espresso 2,50 €, Cappuccino 3,20 €, Croissant 2 €. Entferne den Aufruf und verschiebe die Seite Über uns an den Anfang',
    wishes: [
      shows(/Karte/i, /Espresso 2,50 €[\s\S]*Cappuccino 3,20 €[\s\S]*Croissant 2 €/),
      hasNot(/Aufruf/, 'banner'),
      pageAt(/Über uns/, 'about', 1),
    ],
  },
  {
    site: french,
    prompt: 'Mets la couleur principale en vert foncé et utilise une police à empattements',
    wishes: [colour(/couleur/, 'accent', '#1e4d3a'), font(/police/, 'serif')],
  },
  {
    site: french,
    prompt: 'Ajoute une page sur notre fournil, ouvert du mardi au samedi de 7h à 19h30',
    wishes: [newPage(/fournil/), shows(/7h/, /mar–sam 7 h 00–19 h 30/i)],
  },
  {
    site: french,
    prompt: 'Ajoute les tarifs : pain de campagne 5,80 €, baguette 1,20 € et enlève l’appel à l’action',
    wishes: [shows(/tarifs/, /pain de campagne 5,80 €[\s\S]*baguette 1,20 €/), hasNot(/appel à l’action/, 'banner')],
  },
  {
    site: french,
    prompt: 'Renomme le site en Le Bon Levain, traduis-le en anglais et ajoute une boutique en ligne',
    wishes: [name('Le Bon Levain'), locale('en'), cannot(/boutique en ligne|online shop/i)],
  },
  {
    site: spanish,
    prompt: 'Pon el color principal verde oscuro y usa una letra con serifa',
    wishes: [colour(/color/, 'accent', '#1e4d3a'), font(/letra/, 'serif')],
  },
  {
    site: spanish,
    prompt: 'Abrimos de lunes a viernes de 9 a 20 y sábados de 10 a 14, teléfono 954 49 60 12 3',
    wishes: [
      shows(/lunes/, /lun–vie 9:00–20:00[\s\S]*sáb 10:00–14:00/i),
      does(/tel[eé]fono|954/, ({ after }) => after.facts.phone?.replace(/\D/g, '') === '9544960123'),
    ],
  },
  {
    site: spanish,
    prompt: 'Añade una página sobre nuestras novias y quita la llamada a la acción',
    wishes: [newPage(/novias/), hasNot(/llamada a la acción/, 'banner')],
  },
  {
    site: spanish,
    prompt: 'Precios: corte 18 €, tinte 45 €, peinado 20 €. Ponlo en rosa y añade un chat en vivo',
    wishes: [shows(/precios/i, /corte 18 €[\s\S]*tinte 45 €[\s\S]*peinado 20 €/), colour(/rosa/, 'accent', '#c8437d'), cannot(/chat/i)],
  },
];
