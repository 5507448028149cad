import type { Direction } from '../directions/direction.ts';
import { directions } from '../directions/directions.ts';
import { chosenFonts } from '../directions/fonts.ts';
import { type Palette, palettesOf } from '../directions/palette.ts';
import { contextOf } from '../render/context.ts';
import { heroLayoutOf } from '../sections/opening.ts';
import type { Site } from '../site.ts';
import { base } from './base.ts';
import { footer, headers } from './headers.ts';
import { heroes } from './heroes.ts';
import { lists } from './lists.ts';

const declarations = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => `  --${name}: ${value};\n`)
    .join('');
const colours = (palette: Palette) => declarations({ ...palette });

function typography(direction: Direction, site: Site): string {
  const [headingFont, bodyFont] = site.font === undefined ? [direction.headingFont, direction.bodyFont] : chosenFonts[site.font];
  return declarations({
    'heading-font': headingFont,
    'body-font': bodyFont,
    'heading-weight': direction.headingWeight,
    'heading-spacing': direction.headingSpacing,
    'heading-case': direction.headingCase,
    'hero-size': direction.heroSize,
    'heading-size': direction.headingSize,
    'body-size': direction.bodySize,
    radius: direction.radius,
    'button-radius': direction.buttonRadius,
    'line-width': direction.lineWidth,
    rhythm: direction.rhythm,
    width: '72rem',
    gutter: 'clamp(1.1rem, 4vw, 2.5rem)',
  });
}

/** The one style sheet of a site: custom properties first, then the rules of the layouts that the site uses. */
export function styleSheet(site: Site): string {
  const direction = directions[site.direction];
  const { base: palette, dark } = palettesOf(site);
  const night = dark === undefined ? '' : `@media (prefers-color-scheme: dark) {\n:root {\n${colours(dark)}}\n}\n`;
  const opening = site.pages.flatMap((page) =>
    page.sections.filter(({ kind }) => kind === 'hero').map((section) => heroLayoutOf(contextOf(site, page), section)),
  );
  const heroRules = [...new Set(opening)].map((layout) => heroes[layout]).join('');
  return `:root {\n${colours(palette)}${typography(direction, site)}}\n${night}${base}${headers[direction.header]}${heroRules}${lists}${footer}${direction.css}\n`;
}
