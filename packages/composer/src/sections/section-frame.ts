import type { RenderContext } from '../render/context.ts';
import { type Html, html } from '../render/html.ts';
import type { SiteSection } from '../site.ts';

export const headingOf = (context: RenderContext, section: SiteSection, fallback = context.sectionWords(section).heading): string =>
  section.heading ?? context.fill(fallback);

export const textOfSection = (context: RenderContext, section: SiteSection, fallback = context.sectionWords(section).text): string =>
  section.text ?? context.fill(fallback);

/** Texts of several lines become several paragraphs. */
export const paragraphs = (text: string): Html =>
  html`${text
    .split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map(
      (line) => html`<p>${line}</p>
`,
    )}`;

/** The id of a section: its kind, with a number from the second of the kind on. */
export function idOf(context: RenderContext, section: SiteSection): string {
  const same = context.page.sections.filter(({ kind }) => kind === section.kind);
  const at = same.indexOf(section);
  return at <= 0 ? section.kind : `${section.kind}-${at + 1}`;
}

/** A section with its heading, an introduction if it has one, and content below or, on wide screens, beside it. */
export function frame(
  context: RenderContext,
  section: SiteSection,
  parts: { heading: string; text?: string; content?: Html | undefined; wide?: boolean; beside?: boolean },
): Html {
  const { heading, text = '', content, wide = false, beside = false } = parts;
  return html`<section class="section ${section.kind}${beside ? ' beside' : ''}" id="${idOf(context, section)}">
<div class="section-body${wide ? ' wide' : ''}">
<div class="section-head">
${
  heading !== '' &&
  html`<h2>${heading}</h2>
`
}${text !== '' && paragraphs(text)}</div>
${content}</div>
</section>
`;
}
