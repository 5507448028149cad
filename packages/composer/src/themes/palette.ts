import { type Family, kinds } from '../kinds.ts';
import { pick } from '../random.ts';
import type { Site } from '../site.ts';
import { contrast, mix, oklch, readable } from './color.ts';
import type { Theme } from './theme.ts';
import { themes } from './themes.ts';

/** Families whose colors are warm or green: bread and flowers in blue look wrong. The user may still ask for blue. */
const warmFamilies: ReadonlySet<Family> = new Set(['food', 'stay', 'shop']);
const isCold = (hue: number) => hue > 190 && hue < 330;

/** Contrast of text (WCAG 2.2 AA asks for 4.5), with a little to spare for rounding. */
const minContrast = 4.6;

const minBackgroundContrast = 8;

/** The colors of a site in one scheme. Text colors are readable on every background that they are used on. */
export interface Palette {
  readonly bg: string;
  readonly surface: string;
  readonly soft: string;
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly 'accent-ink': string;
  readonly 'on-accent': string;
  readonly header: string;
  readonly 'header-ink': string;
  readonly deep: string;
  readonly 'on-deep': string;
}

/** The text colors, and the backgrounds on which each is used. */
export const textOnBackground: readonly (readonly [text: keyof Palette, backgrounds: readonly (keyof Palette)[]])[] = [
  ['ink', ['bg', 'surface', 'soft']],
  ['muted', ['bg', 'surface', 'soft']],
  ['accent-ink', ['bg', 'surface', 'soft']],
  ['on-accent', ['accent']],
  ['header-ink', ['header']],
  ['on-deep', ['deep']],
];

const isDark = (color: string) => contrast(color, '#ffffff') > contrast(color, '#000000');
const textFor = (background: string, light: string, dark: string) =>
  readable(contrast(light, background) >= contrast(dark, background) ? light : dark, [background], minContrast);

function accentsOf({ accents, isDarkFirst }: Theme, kind: Site['kind']): Theme['accents'] {
  const [first, ...more] = accents.filter(([, , hue]) => isDarkFirst || !warmFamilies.has(kinds[kind].family) || !isCold(hue));
  return first === undefined ? accents : [first, ...more];
}

function build(theme: Theme, site: Pick<Site, 'kind' | 'seed' | 'colours'>, dark: boolean): Palette {
  const accentTone = pick(`${site.seed}:accent`, accentsOf(theme, site.kind));
  const paper = oklch(...(dark ? theme.paperDark : theme.paper));
  const wished =
    site.colours.background === undefined ? paper : dark ? mix('#101010', site.colours.background, 0.12) : site.colours.background;
  const onDark = isDark(wished);
  // A background of middle lightness leaves no room for readable text on its tints: it is moved away from the text.
  const bg = readable(wished, [onDark ? '#ffffff' : '#000000'], minBackgroundContrast);
  const designed = dark
    ? oklch(Math.max(accentTone[0], 0.68), accentTone[1], accentTone[2])
    : readable(oklch(...accentTone), ['#ffffff'], minContrast);
  const accent = site.colours.accent ?? designed;
  const surface = mix(bg, '#ffffff', onDark ? 0.06 : 0.7);
  const soft = mix(bg, accent, onDark ? 0.1 : 0.07);
  const grounds = [bg, surface, soft];
  const ink = readable(mix(onDark ? '#f6f4f0' : '#17150f', accent, 0.06), grounds, 10);
  const header = site.colours.header ?? (theme.header === 'block' ? accent : bg);
  const deep = dark ? mix(bg, accent, 0.3) : mix('#14110f', accent, 0.32);
  return {
    bg,
    surface,
    soft,
    ink,
    muted: readable(mix(ink, bg, 0.32), grounds, minContrast),
    line: mix(bg, ink, 0.16),
    accent,
    'accent-ink': readable(accent, grounds, minContrast),
    'on-accent': textFor(accent, '#ffffff', '#14110f'),
    header,
    'header-ink': textFor(header, onDark && header === bg ? ink : '#ffffff', onDark ? '#14110f' : ink),
    deep,
    'on-deep': textFor(deep, '#fdfbf7', '#14110f'),
  };
}

/** The palettes of a site: for light screens and, unless the user asked for one scheme, for dark ones. */
export function palettesOf(site: Pick<Site, 'kind' | 'seed' | 'colours' | 'direction' | 'scheme'>): {
  readonly base: Palette;
  readonly dark?: Palette;
} {
  const theme = themes[site.direction];
  const light = build(theme, site, false);
  const dark = build(theme, site, true);
  if (site.scheme === 'dark' || (site.scheme === 'auto' && theme.isDarkFirst)) return { base: dark };
  return site.scheme === 'light' ? { base: light } : { base: light, dark };
}
