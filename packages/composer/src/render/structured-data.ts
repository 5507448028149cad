import type { KindName } from '../kinds.ts';
import type { Site } from '../site.ts';
import { openingsOfLines } from '../understand/hours.ts';
import { Html } from './html.ts';

/** The type of schema.org of each kind. */
const types: Readonly<Record<KindName, string>> = {
  bakery: 'Bakery',
  restaurant: 'Restaurant',
  cafe: 'CafeOrCoffeeShop',
  bar: 'BarOrPub',
  hotel: 'Hotel',
  winery: 'Winery',
  florist: 'Florist',
  bookshop: 'BookStore',
  hairdresser: 'HairSalon',
  spa: 'DaySpa',
  yoga: 'SportsActivityLocation',
  gym: 'ExerciseGym',
  dentist: 'Dentist',
  physiotherapist: 'MedicalBusiness',
  vet: 'VeterinaryCare',
  plumber: 'Plumber',
  electrician: 'Electrician',
  carpenter: 'HomeAndConstructionBusiness',
  gardener: 'HomeAndConstructionBusiness',
  garage: 'AutoRepair',
  lawyer: 'LegalService',
  tax: 'AccountingService',
  architect: 'ProfessionalService',
  photographer: 'ProfessionalService',
  software: 'Organization',
  association: 'Organization',
  business: 'LocalBusiness',
};
const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const currencies: readonly (readonly [sign: RegExp, code: string])[] = [
  [/€|eur/i, 'EUR'],
  [/£/, 'GBP'],
  [/chf/i, 'CHF'],
  [/\$/, 'USD'],
];

/** What a price says as an offer; a price without a currency has none. */
function offerOf(price: string | undefined): object | undefined {
  const amount = price?.match(/\d+(?:[.,]\d+)?/)?.[0].replace(',', '.');
  if (price === undefined || amount === undefined) return undefined;
  return { '@type': 'Offer', price: amount, priceCurrency: currencies.find(([sign]) => sign.test(price))?.[1] };
}

/** "7:00" as "07:00"; midnight at the end of a day as its last minute. */
const clock = (time: string): string => (time === '24:00' ? '23:59' : time.padStart(5, '0'));

/**
 * The facts of a site as JSON-LD of schema.org, for search engines; undefined without a fact beside the name. It is
 * data: browsers do not run it.
 */
export function structuredData(site: Site): Html | undefined {
  const { phone, email, address, hours, menu, prices, links } = site.facts;
  const openings = (openingsOfLines(hours) ?? []).flatMap(({ days, times }) =>
    times.map(({ opens, closes }) => ({
      '@type': 'OpeningHoursSpecification',
      dayOfWeek: days.map((day) => dayNames[day]),
      opens: clock(opens),
      closes: clock(closes),
    })),
  );
  const items = menu.map(({ label, price }) => ({ '@type': 'MenuItem', name: label, offers: offerOf(price) }));
  const offers = prices.map(({ label, price }) => ({
    ...offerOf(price),
    '@type': 'Offer',
    itemOffered: { '@type': 'Service', name: label },
  }));
  const facts = {
    telephone: phone,
    email,
    address: address === undefined ? undefined : { '@type': 'PostalAddress', streetAddress: address, addressLocality: site.place },
    openingHoursSpecification: openings.length === 0 ? undefined : openings,
    hasMenu: items.length === 0 ? undefined : { '@type': 'Menu', hasMenuItem: items },
    makesOffer: offers.length === 0 ? undefined : offers,
    sameAs: links.length === 0 ? undefined : links,
  };
  if (Object.values(facts).every((fact) => fact === undefined)) return undefined;
  const data = { '@context': 'https://schema.org', '@type': types[site.kind], name: site.name, ...facts };
  // Escaped, so that no text of the user ends the element.
  const text = JSON.stringify(data, undefined, 1).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return new Html(`<script type="application/ld+json">\n${text}\n</script>\n`);
}
