import { mix, readableOn, textOn } from './colors.ts';

/** What text of the accent stands on, as styles/tokens.css has it: the darkest of the light grounds, the lightest of the dark ones. */
const grounds = { light: '#f3f1ed', dark: '#262422' };
const surfaces = { light: '#ffffff', dark: '#1a1917' };

/** The tokens that an accent colour changes: buttons have it as it is, with black or white text; text has a shade of it that can be read. */
export function lookOf(accent: string): Readonly<Record<`--${string}`, string>> {
  const onPrimary = textOn(accent);
  const [soft, softDark] = [mix(accent, surfaces.light, 0.1), mix(accent, surfaces.dark, 0.18)];
  return {
    '--primary': accent,
    '--primary-hover': mix(accent, textOn(onPrimary), 0.86),
    '--on-primary': onPrimary,
    '--accent-by-day': readableOn(accent, [grounds.light, soft]),
    '--accent-by-night': readableOn(accent, [grounds.dark, softDark]),
    '--accent-soft-by-day': soft,
    '--accent-soft-by-night': softDark,
  };
}
