import type { RenderContext } from './context.ts';
import { type Html, html } from './html.ts';
import { plainList } from './lists.ts';

export const telephoneLink = (phone: string): Html => html`<a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a>`;

/** Phone, email, address and hours, as far as they are known. Prints nothing if none is. */
export function factList({ site, labels }: RenderContext): Html | undefined {
  const { phone, email, address, hours } = site.facts;
  const map = `https://www.openstreetmap.org/search?query=${encodeURIComponent([address, site.place].filter((part) => part !== undefined).join(', '))}`;
  const rows: readonly (readonly [label: string, value: Html | undefined])[] = [
    [labels.phone, phone === undefined ? undefined : telephoneLink(phone)],
    [labels.email, email === undefined ? undefined : html`<a href="mailto:${email}">${email}</a>`],
    [labels.address, address === undefined ? undefined : html`${address} · <a href="${map}" rel="noopener">${labels.showOnMap}</a>`],
    [labels.hours, hours.length === 0 ? undefined : plainList(hours)],
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
