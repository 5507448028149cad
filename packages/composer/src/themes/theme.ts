export const themeNames = [
  'editorial',
  'swiss',
  'craft',
  'poster',
  'quiet',
  'technical',
  'playful',
  'night',
  'clear',
  'botanical',
] as const;
/** The kinds of font that a user can choose. */
export const fontNames = ['serif', 'sans', 'mono', 'rounded', 'condensed'] as const;
export type ThemeName = (typeof themeNames)[number];

export type HeaderLayout = 'bar' | 'masthead' | 'pill' | 'side' | 'block';
export type HeroLayout = 'split' | 'stack' | 'cover' | 'centre' | 'card' | 'overlap';
export type ListLayout = 'cards' | 'rows' | 'numbered' | 'columns' | 'tiles' | 'checks' | 'details';
export type ImageStyle = 'still' | 'bauhaus' | 'line' | 'poster' | 'arch' | 'blueprint' | 'blobs' | 'glow' | 'calm' | 'hills';

/** Lightness, chroma and hue (OKLCH). */
type Tone = readonly [lightness: number, chroma: number, hue: number];

export interface Theme {
  readonly name: ThemeName;
  /** Stacks of fonts that systems have; nothing is downloaded. */
  readonly headingFont: string;
  readonly bodyFont: string;
  readonly headingWeight: number;
  readonly headingSpacing: string;
  readonly headingCase: 'none' | 'uppercase';
  /** `font-size` of the hero's heading and of section headings. */
  readonly heroSize: string;
  readonly headingSize: string;
  readonly bodySize: string;
  readonly radius: string;
  readonly buttonRadius: string;
  readonly lineWidth: string;
  /** Space above and below a section. */
  readonly rhythm: string;
  readonly header: HeaderLayout;
  readonly heroes: readonly [HeroLayout, ...HeroLayout[]];
  readonly lists: readonly [ListLayout, ListLayout, ...ListLayout[]];
  readonly images: ImageStyle;
  readonly isDarkFirst: boolean;
  readonly paper: Tone;
  readonly paperDark: Tone;
  readonly accents: readonly [Tone, ...Tone[]];
  /** Rules of this theme alone. */
  readonly css: string;
}
