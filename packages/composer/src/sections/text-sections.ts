import { headlineOf, otherLeadOf, type RenderContext, shorten } from '../render/context.ts';
import { bookingForm, contactForm, factList, image, list, newsletterForm, telephoneLink } from '../render/elements.ts';
import { type Html, html } from '../render/html.ts';
import { hrefOf } from '../render/page-names.ts';
import type { SiteSection } from '../site.ts';
import { actions, moreButton } from './opening-sections.ts';
import { frame, headingOf, idOf, paragraphs, textOfSection } from './section-frame.ts';

export function about(context: RenderContext, section: SiteSection): Html {
  const [heading, text] = context.kind.about;
  return html`<section class="section about" id="${idOf(context, section)}">
<div class="section-body wide about-body">
<div class="section-text">
<h2>${headingOf(context, section, heading)}</h2>
${paragraphs(section.text ?? shorten(context.fill(text), context.site.length, 2))}<p class="actions">
${moreButton(context)}</p>
</div>
<figure class="media">
${image(context.site, 'about', { sizes: '(min-width: 52rem) 50vw, 100vw' })}
</figure>
</div>
</section>
`;
}

export function story(context: RenderContext, section: SiteSection): Html {
  const [heading, text] = context.kind.about;
  const content = html`<figure class="media">
${image(context.site, 'gallery-1', { sizes: '(min-width: 72rem) 72rem, 100vw' })}
</figure>
<div class="section-text">
${paragraphs(section.text ?? `${context.fill(text)}${context.site.length === 'long' ? `\n${context.fill(otherLeadOf(context))}` : ''}`)}</div>
`;
  return frame(context, section, { heading: headingOf(context, section, heading), content });
}

/** A heading, a text, and a link to the contact page if the section asks for something. */
export function plain(context: RenderContext, section: SiteSection): Html {
  const { action, items } = context.sectionWords(section);
  const content = html`${
    items !== undefined &&
    list(
      items.map(([title, text]) => [context.fill(title), context.fill(text)]),
      'columns',
    )
  }${action !== undefined && actions(context, context.fill(action))}`;
  return frame(context, section, { heading: headingOf(context, section), text: textOfSection(context, section), content });
}

export function statement(context: RenderContext, section: SiteSection): Html {
  return html`<section class="section statement" id="${idOf(context, section)}">
<div class="section-body wide">
<p class="statement-text">${textOfSection(context, section, headlineOf(context, 2))}</p>
</div>
</section>
`;
}

export function banner(context: RenderContext, section: SiteSection): Html {
  return html`<section class="section banner" id="${idOf(context, section)}">
<div class="section-body wide">
<h2>${headingOf(context, section, headlineOf(context, 1))}</h2>
${paragraphs(textOfSection(context, section))}${actions(context)}</div>
</section>
`;
}

export function emergency(context: RenderContext, section: SiteSection): Html {
  const { phone } = context.site.facts;
  const content =
    phone &&
    html`<p class="emergency-phone">${telephoneLink(phone)}</p>
`;
  return frame(context, section, {
    heading: headingOf(context, section),
    text: textOfSection(context, section),
    content: content || undefined,
  });
}

export function forms(context: RenderContext, section: SiteSection): Html {
  const make = { contact: contactForm, booking: bookingForm, newsletter: newsletterForm }[
    section.kind as 'contact' | 'booking' | 'newsletter'
  ];
  const isNewsletter = section.kind === 'newsletter';
  // A form fills half a wide screen: facts and a drawing stand beside it.
  const side = html`<div class="form-side">
${factList(context)}<figure class="media">
${image(context.site, 'about', { sizes: '(min-width: 60rem) 40vw, 100vw' })}
</figure>
</div>
`;
  const content = html`<div class="form-and-facts">
${make(context)}${!isNewsletter && side}</div>
`;
  const [heading, text] = [headingOf(context, section), textOfSection(context, section)];
  return frame(context, section, { heading, text, content, beside: isNewsletter });
}

export function visit(context: RenderContext, section: SiteSection): Html {
  const [heading, text] = [headingOf(context, section), textOfSection(context, section)];
  return frame(context, section, { heading, text, content: factList(context), beside: true });
}

/** Pages with a text of their own alone: legal pages, thanks, 404. */
export function single(context: RenderContext, section: SiteSection): Html {
  const { items } = context.sectionWords(section);
  const home = context.site.pages.find(({ id }) => id === 'home');
  const isEnd = section.kind === 'thanks' || section.kind === 'notfound';
  return html`<section class="section pagehead single" id="${idOf(context, section)}">
<div class="section-body">
<h1>${headingOf(context, section)}</h1>
${paragraphs(textOfSection(context, section))}${(items ?? []).map(
  ([title, text]) => html`<h2>${title}</h2>
<p>${text}</p>
`,
)}${section.kind === 'imprint' && factList(context)}${
  isEnd &&
  home &&
  html`<p class="actions">
<a class="button" href="${hrefOf(home)}">${context.labels.backHome}</a>
</p>
`
}</div>
</section>
`;
}
