import * as z from 'zod';

export const AccentColor = z.string({ error: 'must be a string' }).regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color such as #1a2b3c');

/** WCAG 2.2: relative luminance, 0 to 1, of a color as `AccentColor` has it. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Black or white, whichever has the higher WCAG 2.2 contrast ratio on the color: always at least 4.58 to 1. */
export function textColorOn(color: string): '#000000' | '#ffffff' {
  const luminance = luminanceOf(color);
  return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}
