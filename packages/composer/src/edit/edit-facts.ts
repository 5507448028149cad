import { kinds } from '../kinds.ts';
import type { SectionName } from '../sections/section-names.ts';
import type { Site, SiteFacts } from '../site.ts';
import { addressIn, emailIn, linksIn, peopleIn, personLine, phoneIn, pricedLines, streetIn } from '../understand/facts.ts';
import { hoursText, openingsIn, openingsOfLines, withOpenings } from '../understand/hours.ts';
import { wordPattern } from '../understand/text.ts';
import { withSection } from './edit-sections.ts';
import { type Change, type Intent, mentions } from './request.ts';

/** The site with more facts, and with the section that shows them. */
const withFacts = (site: Site, facts: Partial<SiteFacts>, section?: SectionName): Site => {
  const next = { ...site, facts: { ...site.facts, ...facts } };
  return section === undefined || next.pages.some(({ sections }) => sections.some(({ kind }) => kind === section))
    ? next
    : withSection(next, section);
};
const done = (site: Site, value: string): Change => ({ site, message: 'factAdded', values: { value: value.slice(0, 120) } });

/** "Mon-Fri 9-5, Sat 10-14", "we are closed on Mondays". */
export const hours: Intent = ({ site, sentence }) => {
  const found = openingsIn(sentence);
  if (found.length === 0) return undefined;
  const lines = hoursText(withOpenings(openingsOfLines(site.facts.hours) ?? [], found), site.locale).slice(0, 14);
  return done(withFacts(site, { hours: lines }, 'hours'), lines.join('; '));
};

export const email: Intent = ({ site, sentence }) => {
  const found = emailIn(sentence);
  return found === undefined ? undefined : done(withFacts(site, { email: found }), found);
};

const phoneWords = wordPattern(
  'phone telephone tel call number mobile telefon* rufnummer handy nummer telephone numero portable telefono movil llam*',
);
export const phone: Intent = (request) => {
  const found = phoneIn(request.sentence);
  return found === undefined || !(mentions(request, phoneWords) || request.plain.split(' ').length < 6)
    ? undefined
    : done(withFacts(request.site, { phone: found }), found);
};

const addressWords = wordPattern('address adresse anschrift direccion');
export const address: Intent = (request) => {
  if (!mentions(request, addressWords)) return undefined;
  const found = addressIn(request.sentence)?.slice(0, 200);
  return found === undefined ? undefined : done(withFacts(request.site, { address: found }, 'visit'), found);
};

/** "We moved to 5 Ship Street, Brighton". */
export const street: Intent = ({ site, sentence }) => {
  const found = streetIn(sentence);
  return found === undefined ? undefined : done(withFacts(site, { address: found }, 'visit'), found);
};

export const link: Intent = ({ site, sentence }) => {
  const found = linksIn(sentence);
  if (found.length === 0) return undefined;
  const links = [...new Set([...site.facts.links, ...found])].slice(0, 20);
  return done(withFacts(site, { links }, 'links'), found.join(', '));
};

const priceSubject = /(?<!\p{L})(?:prices?|preise?n?|prix|tarifs?|precios?|tarifas?)(?!\p{L})/iu;
const menuSubject = /(?<!\p{L})(?:menu|menú|speisekarte|karte|carte|carta)(?!\p{L})/iu;

const withLines = (site: Site, list: 'prices' | 'menu', lines: SiteFacts['menu']): Change => {
  const kept = site.facts[list].filter(({ label }) => !lines.some((line) => line.label === label));
  return done(
    withFacts(site, { [list]: [...kept, ...lines].slice(0, 60) }, list),
    lines.map(({ label, price }) => `${label} ${price ?? ''}`.trim()).join(', '),
  );
};

/** "Add a price: haircut 35 €", "our menu: onion soup 7.50, bread 2". A line with the same label is replaced. */
const priced =
  (subject: RegExp, list: 'prices' | 'menu'): Intent =>
  ({ site, sentence }) => {
    const at = sentence.match(subject);
    const lines = at?.index === undefined ? [] : pricedLines(sentence.slice(at.index + at[0].length));
    return lines.length === 0 ? undefined : withLines(site, list, lines);
  };
export const price = priced(priceSubject, 'prices');
export const menuLine = priced(menuSubject, 'menu');

/** "Espresso 2.50, cappuccino 3.20": a list alone, for the menu of a kitchen or the prices of a shop. */
export const pricedList: Intent = ({ site, sentence }) => {
  const lines = pricedLines(sentence);
  return lines.length < 2 ? undefined : withLines(site, kinds[site.kind].family === 'food' ? 'menu' : 'prices', lines);
};

const personSubject =
  /(?<!\p{L})(?:team ?member|to the team|person|colleague|teammitglied|mitarbeiter(?:in)?|im team|ins team|zum team|membre(?: de l['’]équipe)?|à l['’]équipe|collègue|miembro(?: del equipo)?|al equipo|compañer[oa])\s*:?\s+(?:(?:a|hinzu|is|:)\s+)?(.+)$/iu;
const offersSubject =
  /(?<!\p{L})(?:services?|offers?|treatments|classes|products|leistungen|angebote?|behandlungen|kurse|produkte|prestations|offres?|soins|cours|produits|servicios|ofertas?|tratamientos|clases|productos)\s*:\s*([^\n]{3,600})/iu;
/** "Our services: rewiring, fuse boards". */
export const offers: Intent = ({ site, sentence }) => {
  const list = sentence.match(offersSubject)?.[1]?.split(/[,;]|\s(?:and|und|et|y)\s/u) ?? [];
  const titles = list
    .map((each) =>
      each
        .trim()
        .replace(/[.!?]+$/, '')
        .slice(0, 80),
    )
    .filter((each) => each !== '');
  if (titles.length === 0) return undefined;
  const items = titles.slice(0, 12).map((title) => ({ title: `${title.charAt(0).toLocaleUpperCase()}${title.slice(1)}`, text: '' }));
  const pages = site.pages.map((page) => ({
    ...page,
    sections: page.sections.map((section) => (section.kind === 'offers' ? { ...section, items } : section)),
  }));
  return done({ ...site, pages }, titles.join(', '));
};

const teamSubject = /(?<!\p{L})(?:team|people|staff|mitarbeiter(?:innen)?|équipe|equipo)\s*:([^\n]{3,600})/iu;
/** "Add team member Ana Ruiz, baker", "our team: Ana Ruiz (baker), Tom Lee (barista)". */
export const person: Intent = ({ site, sentence }) => {
  const several = peopleIn(sentence.match(teamSubject)?.[1] ?? '');
  if (several.length > 0) {
    const kept = site.facts.people.filter(({ name }) => !several.some((other) => other.name === name));
    const names = several.map(({ name }) => name).join(', ');
    return done(withFacts(site, { people: [...kept, ...several].slice(0, 30) }, 'team'), names);
  }
  const found = personLine(sentence.match(personSubject)?.[1]?.replace(/\s+hinzu\.?$/u, '') ?? '');
  if (found === undefined || !/\p{Lu}/u.test(found.name)) return undefined;
  const people = [...site.facts.people.filter(({ name }) => name !== found.name), found].slice(0, 30);
  return done(withFacts(site, { people }, 'team'), found.name);
};

const quoteSubject = wordPattern(
  'quote quotes testimonial testimonials review reviews feedback zitat* kundenstimme* bewertung* citation temoignage* avis cita testimonio* opinion* resena*',
);
const quoted = /["“”„«»]\s*([^"“”„«»]{2,1000}?)\s*["“”„«»]\s*(?:[,–—-]\s*)?(?:by|from|von|de|par|d['’]|:)?\s*(.{1,100})$/iu;
/** "Add quote: “Lovely bread” by Ana". The words and the name come from the user alone. */
export const quote: Intent = (request) => {
  const [, text, by] = mentions(request, quoteSubject) ? (request.sentence.match(quoted) ?? []) : [];
  if (text === undefined || by === undefined) return undefined;
  const quotes = [...request.site.facts.quotes, { text: text.trim(), by: by.trim().replace(/[.!]$/, '') }].slice(-12);
  return done(withFacts(request.site, { quotes }, 'quotes'), text.trim());
};

const eventSubject = /(?<!\p{L})(?:events?|dates?|termine?|veranstaltung(?:en)?|événements?|evenements?|eventos?|fechas?)(?!\p{L})/iu;
/** "Add event: 12 May, tasting evening". */
export const event: Intent = ({ site, sentence }) => {
  const at = sentence.match(eventSubject);
  const colon = at?.index === undefined ? -1 : sentence.indexOf(':', at.index);
  const found =
    colon < 0
      ? ''
      : sentence
          .slice(colon + 1)
          .trim()
          .slice(0, 200);
  return found === '' ? undefined : done(withFacts(site, { dates: [...site.facts.dates, found].slice(-30) }, 'dates'), found);
};
