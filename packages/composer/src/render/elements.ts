import type { ListedPicture } from '@webkiln/contract';
import { type ImageName, imagePath, imageSizes } from '../images/image-names.ts';
import type { Pair } from '../language-schema.ts';
import type { Site } from '../site.ts';
import type { ListLayout } from '../themes/theme.ts';
import { hoursRows, hoursText, openingsOfLines } from '../understand/hours.ts';
import type { RenderContext } from './context.ts';
import { type Html, html } from './html.ts';

const galleryNames = ['gallery-1', 'gallery-2', 'gallery-3', 'gallery-4'] as const;

interface ImageOptions {
  /** What a drawing shows; without it, it is decoration. A picture has its own. */
  readonly alt?: string;
  /** It is seen without scrolling. */
  readonly isFirst?: boolean;
  /** The width that it is shown at, as `sizes` of HTML. */
  readonly sizes: string;
}

/** One of the site's drawings, or the picture in its place. */
export function image({ pictures, name: siteName }: Site, name: ImageName, { alt = '', isFirst = false, sizes }: ImageOptions): Html {
  const picture = pictures[name];
  if (picture !== undefined) return photo(picture, { alt: picture.alt || siteName, isFirst, sizes });
  const [width, height] = imageSizes[name];
  return html`<img src="/${imagePath(name)}" alt="${alt}" width="${width}" height="${height}"${priority(isFirst)}>`;
}

const priority = (isFirst: boolean) => (isFirst ? html` fetchpriority="high"` : html` loading="lazy" decoding="async"`);

/** A picture of the owner, in the size that fits the screen. */
export function photo(
  { files }: ListedPicture,
  { alt, isFirst, sizes, className }: ImageOptions & { readonly alt: string; readonly className?: string },
): Html {
  const webp = files.filter(({ format }) => format === 'webp');
  const largest = webp.at(-1) ?? { path: '', width: 1, height: 1 };
  const usual = webp.find(({ width }) => width >= 960) ?? largest;
  const sources = webp.map(({ path, width }) => `/${path} ${width}w`).join(', ');
  const named = className !== undefined && html` class="${className}"`;
  // The logo is small, and stands in the header of all pages.
  const loading = className === undefined ? priority(isFirst === true) : undefined;
  return html`<img${named} src="/${usual.path}" srcset="${sources}" sizes="${sizes}" alt="${alt}" width="${largest.width}" height="${largest.height}"${loading}>`;
}

/** A list of titles with texts in one of the layouts; with `pictured` cards have images. */
export function list(pairs: readonly Pair[], layout: ListLayout, pictured?: Site): Html {
  if (layout === 'details') {
    return html`<div class="list list-details">
${pairs.map(
  ([title, text]) => html`<details name="list">
<summary>${title}</summary>
<p>${text}</p>
</details>
`,
)}</div>
`;
  }
  const picture = (at: number) => {
    const name = galleryNames[at % galleryNames.length];
    return (
      pictured !== undefined &&
      layout === 'cards' &&
      name !== undefined &&
      html`${image(pictured, name, { sizes: '(min-width: 60rem) 20rem, 100vw' })}
`
    );
  };
  return html`<ul class="list list-${layout}">
${pairs.map(
  ([title, text], at) => html`<li>
${picture(at)}<h3>${title}</h3>
${
  text !== '' &&
  html`<p>${text}</p>
`
}</li>
`,
)}</ul>
`;
}

/** Lines with a price each, as on a menu. */
export function pricedList(lines: readonly { readonly label: string; readonly price?: string | undefined }[]): Html | undefined {
  if (lines.length === 0) return undefined;
  return html`<ul class="priced">
${lines.map(
  ({ label, price }) => html`<li><span>${label}</span>${price !== undefined && html` <b>${price}</b>`}</li>
`,
)}</ul>
`;
}

export const plainList = (lines: readonly string[]): Html => html`<ul class="plain">
${lines.map(
  (line) => html`<li>${line}</li>
`,
)}</ul>
`;

export const telephoneLink = (phone: string): Html => html`<a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a>`;

function hoursLines({ facts, locale }: Site): readonly string[] {
  const openings = openingsOfLines(facts.hours);
  return openings === undefined ? facts.hours : hoursText(openings, locale);
}

/** Opening hours in the language of the site, days and times apart; other words are as the owner wrote them. */
export function hoursList({ facts, locale }: Site): Html | undefined {
  const openings = openingsOfLines(facts.hours);
  if (facts.hours.length === 0) return undefined;
  return openings === undefined
    ? plainList(facts.hours)
    : pricedList(hoursRows(openings, locale).map(({ label, times }) => ({ label, price: times })));
}

/** Phone, email, address and hours, as far as they are known. Prints nothing if none is. */
export function factList({ site, labels }: RenderContext): Html | undefined {
  const { phone, email, address, hours } = site.facts;
  const map = `https://www.openstreetmap.org/search?query=${encodeURIComponent([address, site.place].filter((part) => part !== undefined).join(', '))}`;
  const rows: readonly (readonly [label: string, value: Html | undefined])[] = [
    [labels.phone, phone === undefined ? undefined : telephoneLink(phone)],
    [labels.email, email === undefined ? undefined : html`<a href="mailto:${email}">${email}</a>`],
    [labels.address, address === undefined ? undefined : html`${address} · <a href="${map}" rel="noopener">${labels.showOnMap}</a>`],
    [labels.hours, hours.length === 0 ? undefined : plainList(hoursLines(site))],
  ];
  const known = rows.flatMap(([label, value]) =>
    value === undefined
      ? []
      : [
          html`<div><dt>${label}</dt>
<dd>${value}</dd></div>
`,
        ],
  );
  return known.length === 0
    ? undefined
    : html`<dl class="facts">
${known}</dl>
`;
}

const trap = ({
  labels,
}: RenderContext) => html`<div hidden><label>${labels.leaveEmpty} <input name="_gotcha" tabindex="-1" autocomplete="off"></label></div>
<input type="hidden" name="_next" value="/thanks">
`;

const field = (label: string, control: Html) => html`<label>${label}
${control}</label>
`;

/** A form that posts to the platform's `/_forms/<name>` (docs/sites.md), with or without JavaScript. */
function form(context: RenderContext, name: string, fields: Html, button: string): Html {
  return html`<form class="form" method="post" action="/_forms/${name}">
${fields}${trap(context)}<button class="button">${button}</button>
</form>
`;
}

const nameField = ({ labels }: RenderContext) => field(labels.yourName, html`<input name="name" autocomplete="name" required>`);
const emailField = ({ labels }: RenderContext) =>
  field(labels.yourEmail, html`<input name="email" type="email" autocomplete="email" required>`);
const messageField = ({ labels }: RenderContext) => field(labels.yourMessage, html`<textarea name="message" rows="5" required></textarea>`);

export const contactForm = (context: RenderContext): Html =>
  form(context, 'contact', html`${nameField(context)}${emailField(context)}${messageField(context)}`, context.labels.send);

export const bookingForm = (context: RenderContext): Html => {
  const date = field(context.labels.wishedDate, html`<input name="date">`);
  return form(context, 'booking', html`${nameField(context)}${emailField(context)}${date}${messageField(context)}`, context.labels.send);
};

export const newsletterForm = (context: RenderContext): Html => form(context, 'newsletter', emailField(context), context.labels.subscribe);
