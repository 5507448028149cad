import type { Pair } from '../language-schema.ts';
import { listLayoutOf, type RenderContext } from '../render/context.ts';
import { hoursList, image, list, photo, plainList, pricedList } from '../render/elements.ts';
import { type Html, html } from '../render/html.ts';
import type { SiteSection } from '../site.ts';
import { hero, pagehead } from './opening-sections.ts';
import { frame, headingOf, textOfSection } from './section-frame.ts';
import type { SectionName } from './section-names.ts';
import { about, banner, emergency, forms, plain, single, statement, story, visit } from './text-sections.ts';

const wide = new Set(['cards', 'tiles', 'columns']);

/** Titles with texts: from the user, else from the words of kind or section. */
function pairs(context: RenderContext, section: SiteSection): Html {
  const isOffers = section.kind === 'offers';
  const words = context.sectionWords(section);
  const own = section.items?.map(({ title, text }): Pair => [title, text]);
  const given = own ?? (isOffers ? context.kind.offers : (words.items ?? []));
  // Titles alone would leave rows half empty: they go with drawings.
  const hasTexts = given.some(([, text]) => text !== '');
  const layout = hasTexts || section.layout !== undefined ? listLayoutOf(context, section) : 'cards';
  const filled = given.map(([title, text]): Pair => [context.fill(title), context.fill(text)]);
  return frame(context, section, {
    heading: headingOf(context, section, isOffers ? context.kind.offersHead : words.heading),
    text: textOfSection(context, section),
    content: list(filled, layout, isOffers ? context.site : undefined),
    wide: wide.has(layout),
  });
}

function priced(context: RenderContext, section: SiteSection): Html {
  const { menu, prices } = context.site.facts;
  const content = pricedList(section.kind === 'menu' ? menu : prices);
  const [heading, text] = [headingOf(context, section), textOfSection(context, section)];
  return frame(context, section, { heading, text, content, beside: true });
}

function team(context: RenderContext, section: SiteSection): Html {
  const people = context.site.facts.people.map(({ name, role }): Pair => [name, role ?? '']);
  const content = people.length > 0 && list(people, 'columns');
  return frame(context, section, {
    heading: headingOf(context, section),
    text: textOfSection(context, section),
    content: content || undefined,
    wide: people.length > 0,
  });
}

function quotes(context: RenderContext, section: SiteSection): Html | undefined {
  const { quotes: given } = context.site.facts;
  if (given.length === 0) return undefined;
  const content = html`<div class="list list-columns quotes-list">
${given.map(
  ({ text, by }) => html`<blockquote>
<p>${text}</p>
<footer>${by}</footer>
</blockquote>
`,
)}</div>
`;
  return frame(context, section, { heading: headingOf(context, section), content, wide: true });
}

function lines(context: RenderContext, section: SiteSection): Html {
  const { dates } = context.site.facts;
  const given = section.kind === 'hours' ? hoursList(context.site) : dates.length > 0 && plainList(dates);
  const [heading, text] = [headingOf(context, section), textOfSection(context, section)];
  return frame(context, section, { heading, text, content: given || undefined, beside: true });
}

function links(context: RenderContext, section: SiteSection): Html | undefined {
  const { links: given } = context.site.facts;
  if (given.length === 0) return undefined;
  const content = html`<ul class="plain">
${given.map(
  (url) => html`<li><a href="${url}" rel="noopener">${new URL(url).host.replace(/^www\./, '')}</a></li>
`,
)}</ul>
`;
  return frame(context, section, { heading: headingOf(context, section), content });
}

function gallery(context: RenderContext, section: SiteSection): Html {
  const { site, kind, theme } = context;
  const sizes = '(min-width: 60rem) 25vw, 50vw';
  const images =
    site.gallery.length > 0
      ? site.gallery.map((picture) => photo(picture, { alt: picture.alt || site.name, sizes }))
      : (['gallery-1', 'gallery-2', 'gallery-3', 'gallery-4'] as const).map((name) => image(site, name, { alt: kind.image, sizes }));
  const drawn = section.layout ?? (theme.images === 'bauhaus' || theme.images === 'poster' ? 'mosaic' : 'grid');
  const content = html`<ul class="gallery-list gallery-${site.gallery.length > 0 ? 'own' : drawn}">
${images.map(
  (shown) => html`<li>
${shown}
</li>
`,
)}</ul>
`;
  return frame(context, section, { heading: headingOf(context, section), text: textOfSection(context, section), content, wide: true });
}

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
