import { mix, readableOn, textOn } from './colors.ts';

/** Backgrounds of accent-colored text in styles/tokens.css: the darkest light one and the lightest dark one. */
const backgrounds = { light: '#f3f1ed', dark: '#262422' };
const surfaces = { light: '#ffffff', dark: '#1a1917' };

/**
 * The CSS variables that an accent color overrides. Buttons use it unchanged with black or white text; text uses a
 * shade with enough contrast.
 */
export function brandTokens(accent: string): Readonly<Record<`--${string}`, string>> {
  const onPrimary = textOn(accent);
  const [soft, softDark] = [mix(accent, surfaces.light, 0.1), mix(accent, surfaces.dark, 0.18)];
  return {
    '--primary': accent,
    '--primary-hover': mix(accent, textOn(onPrimary), 0.86),
    '--on-primary': onPrimary,
    '--accent-light': readableOn(accent, [backgrounds.light, soft]),
    '--accent-dark': readableOn(accent, [backgrounds.dark, softDark]),
    '--accent-soft-light': soft,
    '--accent-soft-dark': softDark,
  };
}
