import type { RenderContext } from '../render/context.ts';
import type { Html } from '../render/html.ts';
import type { SiteSection } from '../site.ts';
import { gallery, lines, links, pairs, priced, quotes, team } from './list-sections.ts';
import { hero, pagehead } from './opening-sections.ts';
import type { SectionName } from './section-names.ts';
import { about, banner, emergency, forms, plain, single, statement, story, visit } from './text-sections.ts';

/** How each kind of section is rendered; undefined hides it until its facts are known. */
export const renderSection: Readonly<Record<SectionName, (context: RenderContext, section: SiteSection) => Html | undefined>> = {
  hero,
  pagehead,
  offers: pairs,
  menu: priced,
  prices: priced,
  about,
  story,
  values: pairs,
  steps: pairs,
  team,
  gallery,
  hours: lines,
  visit,
  contact: forms,
  faq: pairs,
  banner,
  statement,
  quotes,
  news: plain,
  dates: lines,
  newsletter: forms,
  booking: forms,
  features: pairs,
  area: plain,
  jobs: plain,
  vouchers: plain,
  season: plain,
  emergency,
  firstvisit: pairs,
  links,
  custom: plain,
  imprint: single,
  privacy: single,
  thanks: single,
  notfound: single,
};

/** The kinds of section that bring the page's h1. */
export const hasPageHeading: ReadonlySet<SectionName> = new Set(['hero', 'pagehead', 'imprint', 'privacy', 'thanks', 'notfound']);
