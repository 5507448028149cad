import type { ListLayout } from '../directions/direction.ts';
import { imagePath, imageSizes } from '../images/images.ts';
import type { Pair } from '../words/words.ts';
import { type Html, html } from './html.ts';

const galleryNames = ['gallery-1', 'gallery-2', 'gallery-3', 'gallery-4'] as const;

/** One of the site's drawings; without `alt` it is decoration. */
export function image(name: keyof typeof imageSizes, alt = '', isFirst = false): Html {
  const [width, height] = imageSizes[name];
  const priority = isFirst ? html` fetchpriority="high"` : html` loading="lazy" decoding="async"`;
  return html`<img src="/${imagePath(name)}" alt="${alt}" width="${width}" height="${height}"${priority}>`;
}

/** A list of titles with texts in one of the layouts. */
export function list(pairs: readonly Pair[], layout: ListLayout, hasImages = false): Html {
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
      hasImages &&
      layout === 'cards' &&
      name !== undefined &&
      html`${image(name)}
`
    );
  };
  return html`<ul class="list list-${layout}">
${pairs.map(
  ([title, text], at) => html`<li>
${picture(at)}<h3>${title}</h3>
<p>${text}</p>
</li>
`,
)}</ul>
`;
}

/** Lines with a price each, as on a menu. */
export function pricedList(lines: readonly { readonly label: string; readonly price?: string | undefined }[]): Html {
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
