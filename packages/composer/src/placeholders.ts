import { fill, languageOf } from './languages.ts';
import type { SectionName } from './sections/section-names.ts';
import type { Site, SiteFacts, SiteSection } from './site.ts';

const maxPlaceholders = 30;

/** The facts that fill a section, so that it asks for nothing more. */
const filledBy: Partial<Record<SectionName, (facts: SiteFacts) => boolean>> = {
  menu: ({ menu }) => menu.length > 0,
  prices: ({ prices }) => prices.length > 0,
  team: ({ people }) => people.length > 0,
  hours: ({ hours }) => hours.length > 0,
  visit: ({ address }) => address !== undefined,
  quotes: ({ quotes }) => quotes.length > 0,
  dates: ({ dates }) => dates.length > 0,
  links: ({ links }) => links.length > 0,
  emergency: ({ phone }) => phone !== undefined,
};

/**
 * What only the owner knows and has not said yet, as sentences in the language of the site. Visitors never see them.
 */
export function placeholdersOf(site: Site): string[] {
  const { sections, interface: labels } = languageOf(site.locale);
  const isOpen = (section: SiteSection) => section.text === undefined && filledBy[section.kind]?.(site.facts) !== true;
  const open = site.pages.flatMap((page) => page.sections.filter(isOpen)).flatMap(({ kind }) => sections[kind].placeholder ?? []);
  const all = [...(site.isNameProvisional ? [labels.namePlaceholder] : []), ...open];
  return [...new Set(all.map((text) => fill(text, site.locale, site.kind, { name: site.name, place: site.place })))].slice(
    0,
    maxPlaceholders,
  );
}
