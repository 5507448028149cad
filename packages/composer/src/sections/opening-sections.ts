import { pick } from '../random.ts';
import { headlineOf, kickerOf, leadOf, otherLeadOf, type RenderContext } from '../render/context.ts';
import { factList, image } from '../render/elements.ts';
import { type Html, html } from '../render/html.ts';
import { hrefOf, pageTitleOf } from '../render/page-names.ts';
import type { SiteSection } from '../site.ts';
import type { HeroLayout } from '../themes/theme.ts';

const button = ({ site }: RenderContext, pageId: string, text: string, isQuiet = false): Html | undefined => {
  const page = site.pages.find(({ id }) => id === pageId);
  return (
    page &&
    html`<a class="button${isQuiet ? ' quiet' : ''}" href="${hrefOf(page)}">${text}</a>
`
  );
};

/** The link to the contact page, in the words of the kind: "Reserve a table". */
const actionButton = (context: RenderContext, text = context.kind.action): Html | undefined => button(context, 'contact', text);

/** A paragraph with that link; nothing on the contact page itself. */
export const actions = (context: RenderContext, text = context.kind.action): Html | undefined => {
  const link = context.page.id === 'contact' ? undefined : actionButton(context, text);
  return (
    link &&
    html`<p class="actions">
${link}</p>
`
  );
};

export const moreButton = (context: RenderContext): Html | undefined => button(context, 'about', context.labels.more, true);

export const heroLayoutOf = ({ site, theme }: RenderContext, { layout }: SiteSection): HeroLayout =>
  (['split', 'stack', 'cover', 'centre', 'card', 'overlap'] as const).find((name) => name === layout) ??
  pick(`${site.seed}:hero`, theme.heroes);

const half = '(min-width: 56rem) 50vw, 100vw';
const whole = '(min-width: 72rem) 72rem, 100vw';
const heroSizes: Readonly<Record<HeroLayout, string>> = {
  split: half,
  stack: whole,
  cover: half,
  centre: whole,
  card: half,
  overlap: whole,
};

export function hero(context: RenderContext, section: SiteSection): Html {
  const { site, kind, fill } = context;
  const layout = heroLayoutOf(context, section);
  const offers = site.pages.find(({ id }) => id === 'offers');
  const facts = layout === 'card' ? factList(context) : undefined;
  const figure = html`<figure class="media">
${image(site, 'hero', { alt: kind.image, isFirst: true, sizes: heroSizes[layout] })}
</figure>
`;
  return html`<section class="section hero hero-${layout}" id="start">
<div class="section-body">
<div class="hero-text">
${
  kickerOf(context) !== '' &&
  html`<p class="kicker">${kickerOf(context)}</p>
`
}<h1>${section.heading ?? fill(headlineOf(context))}</h1>
<p class="lead">${section.text ?? fill(leadOf(context))}</p>
<p class="actions">
${actionButton(context)}${offers && button(context, 'offers', pageTitleOf(site, offers), true)}</p>
</div>
${figure}${
  facts &&
  html`<aside class="card">
${facts}</aside>
`
}</div>
</section>
`;
}

export function pagehead(context: RenderContext, section: SiteSection): Html {
  const { site, page, fill } = context;
  const text = page.id === 'offers' ? fill(otherLeadOf(context)) : page.id === 'about' ? fill(headlineOf(context, 2)) : undefined;
  return html`<section class="section pagehead">
<div class="section-body">
<p class="kicker">${site.name}</p>
<h1>${section.heading ?? pageTitleOf(site, page)}</h1>
${
  (section.text ?? text) !== undefined &&
  html`<p class="lead">${section.text ?? text}</p>
`
}</div>
</section>
`;
}
