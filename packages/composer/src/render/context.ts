import type { InterfaceWords, KindWords, SectionWords } from '../language-schema.ts';
import { fill, languageOf } from '../languages.ts';
import { pick } from '../random.ts';
import type { Site, SitePage, SiteSection } from '../site.ts';
import type { ListLayout, Theme } from '../themes/theme.ts';
import { themes } from '../themes/themes.ts';

/** What sections are rendered from: the site, the page and the words of its language. */
export interface RenderContext {
  readonly site: Site;
  readonly page: SitePage;
  readonly theme: Theme;
  readonly kind: KindWords;
  readonly labels: InterfaceWords;
  sectionWords(section: SiteSection): SectionWords;
  /** Fills in name, place and form of address. */
  fill(text: string): string;
}

export function contextOf(site: Site, page: SitePage): RenderContext {
  const { kinds, sections, interface: labels } = languageOf(site.locale);
  const kind = site.noun === undefined ? kinds[site.kind] : { ...kinds[site.kind], noun: site.noun };
  const values = { name: site.name, place: site.place, noun: kind.noun };
  return {
    site,
    page,
    theme: themes[site.direction],
    kind,
    labels,
    sectionWords: (section) => sections[section.kind],
    fill: (text) => fill(text, site.locale, site.kind, values),
  };
}

/** The sentences of a text as the site's length asks: the first alone, or all of them. */
export function shorten(text: string, length: Site['length'], sentences: number): string {
  if (length === 'long') return text;
  const parts = text.match(/[^.!?…]+(?:[.!?…]+["”»]?\s*|$)/g) ?? [text];
  return parts
    .slice(0, length === 'short' ? 1 : sentences)
    .join('')
    .trim();
}

/** The heading of the home page (0), and others of the kind for further sections. */
export function headlineOf({ site, kind }: Pick<RenderContext, 'site' | 'kind'>, further = 0): string {
  const first = kind.heads.indexOf(pick(`${site.seed}:head`, kind.heads));
  return kind.heads[(first + further) % kind.heads.length] ?? kind.heads[0];
}
export const leadOf = ({ site, kind }: Pick<RenderContext, 'site' | 'kind'>): string => pick(`${site.seed}:lead`, kind.leads);
/** The lead that the home page does not use, for other pages. */
export const otherLeadOf = ({ site, kind }: Pick<RenderContext, 'site' | 'kind'>): string =>
  kind.leads.find((lead) => lead !== leadOf({ site, kind })) ?? kind.leads[0];

/** The layout of a list: what an edit chose, else one of the theme's, another one for each kind of section. */
export function listLayoutOf({ theme, site }: RenderContext, section: SiteSection): ListLayout {
  const chosen = (['cards', 'rows', 'numbered', 'columns', 'tiles', 'checks', 'details'] as const).find(
    (layout) => layout === section.layout,
  );
  if (chosen !== undefined) return chosen;
  if (section.kind === 'faq') return 'details';
  if (section.kind === 'steps') return 'numbered';
  if (section.kind === 'offers') return theme.lists[0];
  return pick(`${site.seed}:${section.kind}`, theme.lists);
}

/** "Bakery in Lyon", or the kind or place alone; empty if neither is known. */
export const kickerOf = ({ site, kind, labels, fill: fillIn }: RenderContext): string =>
  kind.noun === '' ? (site.place ?? '') : fillIn(site.place === undefined ? kind.noun : labels.nounIn);
