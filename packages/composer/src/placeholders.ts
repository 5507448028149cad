import { fill, languageOf } from './languages.ts';
import type { SectionName } from './sections/section-names.ts';
import type { Site, SiteSection } from './site.ts';

const maxPlaceholders = 30;

/** What fills a section that is nothing without it. */
const filledBy: Partial<Record<SectionName, (site: Site) => boolean>> = {
  menu: ({ facts }) => facts.menu.length > 0,
  prices: ({ facts }) => facts.prices.length > 0,
  team: ({ facts }) => facts.people.length > 0,
  hours: ({ facts }) => facts.hours.length > 0,
  visit: ({ facts }) => facts.address !== undefined,
  quotes: ({ facts }) => facts.quotes.length > 0,
  dates: ({ facts }) => facts.dates.length > 0,
  links: ({ facts }) => facts.links.length > 0,
  emergency: ({ facts }) => facts.phone !== undefined,
  area: ({ place }) => place !== undefined,
  ...{ news: () => false, season: () => false, custom: () => false },
};

/** Visitors see the section: it has a text of the user, or what fills it. */
export const isFilled = (site: Site, { kind, text, items }: SiteSection): boolean =>
  text !== undefined || items !== undefined || (filledBy[kind]?.(site) ?? true);

/** What asks the owner to fill a section, filled in for the site; undefined if it is filled or asks for nothing. */
export function placeholderOf(site: Site, section: SiteSection): string | undefined {
  const { placeholder } = languageOf(site.locale).sections[section.kind];
  const isOpen = filledBy[section.kind] === undefined ? section.text === undefined : !isFilled(site, section);
  return isOpen && placeholder !== undefined
    ? fill(placeholder, site.locale, site.kind, { name: site.name, place: site.place })
    : undefined;
}

/**
 * What only the owner knows and has not said yet, as sentences in the language of the site. Visitors never see them.
 */
export function placeholdersOf(site: Site): string[] {
  const name = fill(languageOf(site.locale).interface.namePlaceholder, site.locale, site.kind, {});
  const open = site.pages.flatMap((page) => page.sections.flatMap((section) => placeholderOf(site, section) ?? []));
  return [...new Set([...(site.isNameProvisional ? [name] : []), ...open])].slice(0, maxPlaceholders);
}
