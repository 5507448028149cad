import { textAt, withText } from '@webkiln/site-check';
import { isFilled } from '../placeholders.ts';
import { contextOf } from '../render/context.ts';
import { pathOf } from '../render/page-names.ts';
import { renderFiles } from '../render/render-site.ts';
import { Site, type SiteFacts, type SitePage, type SiteSection, siteOf } from '../site.ts';
import { applyChange } from './keep-changes.ts';
import { withPage } from './request.ts';

/** A text among what a site is made of: the site with another text there. */
type TextSlot = (site: Site, text: string) => Site;

/** The texts of a site that a page may show as they are. Those of its sections come first. */
const slotsOf = (site: Site, page: SitePage): TextSlot[] => [
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

/** A text that a person typed in place of another one. */
export interface TypedText {
  /** The path of the page. */
  readonly page: string;
  /** The index of each node among all children of its parent, from the `html` element to the text. */
  readonly at: readonly number[];
  /** The whole text that is there, with its white space. */
  readonly before: string;
  /** One line, without white space around it. */
  readonly text: string;
}

/**
 * Changes one text of a page of any site. What a composed site is made from changes with it, if the text is among that,
 * so that later edits keep it; else the page alone, whose change later edits merge with. Returns the files that
 * changed; undefined if the page does not have the text as such.
 */
export function editTypedText(files: ReadonlyMap<string, string>, typed: TypedText): Map<string, string> | undefined {
  const { page, at, before, text } = typed;
  const direct = withText(files.get(page) ?? '', at, before, text);
  if (direct === undefined) return undefined;
  const site = siteOf(files);
  return (site && changeInSite(site, files, typed)) ?? new Map([[page, direct]]);
}

/** No word of a site, and no markup. */
const markOf = (number: number) => `webkilnmark${number}end`;

/** Undefined if the text is not among what the site is made from, or a change by hand is in the way. */
function changeInSite(
  site: Site,
  files: ReadonlyMap<string, string>,
  { page, at, before, text }: TypedText,
): Map<string, string> | undefined {
  const shown = site.pages.find((candidate) => pathOf(candidate) === page);
  const rendered = renderFiles(site).get(page) ?? '';
  if (shown === undefined || textAt(rendered, at) !== before) return undefined;
  const slots = slotsOf(site, shown);
  const marked = slots.reduce((changed, slot, number) => slot(changed, markOf(number)), site);
  const mark = textAt(renderFiles(marked).get(page) ?? '', at)?.trim();
  const slot = slots.find((_, number) => markOf(number) === mark);
  const next = slot && Site.safeParse(slot(site, text)).data;
  if (next === undefined) return undefined;
  const after = renderFiles(next).get(page) ?? '';
  if (textAt(after, at)?.trim() !== text || tagsOf(after) !== tagsOf(rendered)) return undefined;
  const changed = [...applyChange({ site, files }, next).files].filter(
    (file): file is [string, string] => typeof file[1] === 'string' && files.get(file[0]) !== file[1],
  );
  const changes = new Map(changed);
  return textAt(changes.get(page) ?? '', at)?.trim() === text ? changes : undefined;
}

/** The tags of a page: another text changes none. */
const tagsOf = (page: string): string => page.match(/<\/?[a-z][a-z0-9]*/g)?.join('') ?? '';
