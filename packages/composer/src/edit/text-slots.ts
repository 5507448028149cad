import { isFilled } from '../placeholders.ts';
import { contextOf } from '../render/context.ts';
import type { Site, SiteFacts, SitePage, SiteSection } from '../site.ts';
import { withPage } from './request.ts';

/** A text among what a site is made of: the site with another text there. */
export type TextSlot = (site: Site, text: string) => Site;

/** The texts of a site that a page may show as they are. Those of its sections come first. */
export const slotsOf = (site: Site, page: SitePage): TextSlot[] => [
  ...page.sections.flatMap((section, at) => (isFilled(site, section) ? sectionSlots(site, page, at) : [])),
  ...factSlots(site.facts),
  ...site.pages.map(
    ({ id }): TextSlot =>
      (other, title) =>
        changePage(other, id, (target) => ({ ...target, title })),
  ),
  (other, name) => ({ ...other, name, isNameProvisional: false }),
];

function changePage(site: Site, id: string, change: (page: SitePage) => SitePage): Site {
  const page = site.pages.find((candidate) => candidate.id === id);
  return page === undefined ? site : withPage(site, change(page));
}

type Change = (section: SiteSection, text: string) => SiteSection;

function sectionSlots(site: Site, page: SitePage, at: number): TextSlot[] {
  const section = page.sections[at] as SiteSection;
  const lines = section.text?.split(/\n+/) ?? [''];
  const items = itemsOf(site, page, section);
  const changes: Change[] = [
    (other, heading) => ({ ...other, heading }),
    ...lines.map(
      (_, line): Change =>
        (other, text) => ({ ...other, text: replaced(other.text?.split(/\n+/) ?? [''], line, text).join('\n') }),
    ),
    ...items.flatMap((item, index): Change[] =>
      (['title', 'text'] as const)
        .filter((field) => item[field] !== '')
        .map((field) => (other, text) => {
          const given = other.items ?? items;
          return { ...other, items: replaced(given, index, { ...(given[index] ?? item), [field]: text }) };
        }),
    ),
  ];
  return changes.map(
    (change) => (other, text) =>
      changePage(other, page.id, (target) => ({
        ...target,
        sections: target.sections.map((candidate, number) => (number === at ? change(candidate, text) : candidate)),
      })),
  );
}

/** What a section lists: from the user, else from the words of its kind. */
function itemsOf(site: Site, page: SitePage, section: SiteSection): NonNullable<SiteSection['items']> {
  if (section.items !== undefined) return section.items;
  const { kind, sectionWords, fill } = contextOf(site, page);
  const words = section.kind === 'offers' ? kind.offers : (sectionWords(section).items ?? []);
  return words.map(([title, text]) => ({ title: fill(title), text: fill(text) }));
}

const replaced = <T>(all: readonly T[], at: number, one: T): T[] => all.map((other, index) => (index === at ? one : other));

function factSlots(facts: SiteFacts): TextSlot[] {
  const withFacts = (change: (facts: SiteFacts, text: string) => Partial<SiteFacts>): TextSlot => {
    return (site, text) => ({ ...site, facts: { ...site.facts, ...change(site.facts, text) } });
  };
  const single = (['phone', 'email', 'address'] as const).filter((fact) => facts[fact] !== undefined);
  return [
    ...single.map((fact) => withFacts((_, text) => ({ [fact]: text }))),
    ...facts.dates.map((_, at) => withFacts(({ dates }, text) => ({ dates: replaced(dates, at, text) }))),
    ...(['menu', 'prices'] as const).flatMap((list) =>
      fieldSlots(facts[list], (change) => withFacts((now, text) => ({ [list]: change(now[list], text) }))),
    ),
    ...fieldSlots(facts.people, (change) => withFacts(({ people }, text) => ({ people: change(people, text) }))),
    ...fieldSlots(facts.quotes, (change) => withFacts(({ quotes }, text) => ({ quotes: change(quotes, text) }))),
  ];
}

/** A slot for each text of each record. */
const fieldSlots = <T extends object>(records: readonly T[], slot: (change: (records: readonly T[], text: string) => T[]) => TextSlot) =>
  records.flatMap((record, at) =>
    Object.keys(record).map((field) => slot((now, text) => now.map((each, index) => (index === at ? { ...each, [field]: text } : each)))),
  );
