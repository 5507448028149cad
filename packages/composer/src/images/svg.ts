import type { Palette } from '../themes/palette.ts';

/** Draws one shape of a motif (see motifs.ts); an outline instead of an area if `stroke` is a width. */
function shape(text: string, stroke: number | undefined): string {
  const [tone = 'b', ...rest] = text.split(' ');
  const look = stroke === undefined ? `class="${tone}"` : `class="s${tone === 'a' ? ' sa' : ''}" stroke-width="${stroke}"`;
  const [form, ...numbers] = rest;
  if (form === 'o') return `<circle ${look} cx="${numbers[0]}" cy="${numbers[1]}" r="${numbers[2]}"/>`;
  if (form === 'r') {
    const [x, y, width, height, radius] = numbers;
    return `<rect ${look} x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;
  }
  return `<path ${look} d="${rest.join(' ')}"/>`;
}

export interface Placement {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly turn?: number;
  readonly stroke?: number;
}

/** Draws a motif around a centre, `size` units wide. */
export function place(motif: readonly string[], { x, y, size, turn = 0, stroke }: Placement): string {
  const scale = (size / 100).toFixed(3);
  const shapes = motif.map((text) => shape(text, stroke)).join('');
  return `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${scale}) translate(-50 -50)">${shapes}</g>`;
}

const rulesOf = ({ accent, ink, surface, soft, line, bg }: Palette, pale: string) =>
  `.a{fill:${accent}}.b{fill:${ink}}.c{fill:${surface}}.d{fill:${pale}}.g{fill:${soft}}.p{fill:${bg}}` +
  `.s{fill:none;stroke:${ink};stroke-linejoin:round}.sa{stroke:${accent}}.l{fill:none;stroke:${line}}.k{fill:none;stroke:${accent}}`;

/** A whole SVG file in the site's colors, which follows the color scheme of the screen as the page does. */
export function svgFile(
  size: readonly [number, number],
  body: string,
  base: Palette,
  dark: Palette | undefined,
  pale: (of: Palette) => string,
): string {
  const night = dark === undefined ? '' : `@media(prefers-color-scheme:dark){${rulesOf(dark, pale(dark))}}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size[0]} ${size[1]}" width="${size[0]}" height="${size[1]}">
<style>${rulesOf(base, pale(base))}${night}</style>
${body}
</svg>
`;
}
