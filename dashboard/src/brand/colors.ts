/** A colour as `#1a2b3c`. */
type Color = string;

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

const partsOf = (color: Color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** WCAG 2.2 relative luminance. */
function luminanceOf(color: Color): number {
  const [red = 0, green = 0, blue = 0] = partsOf(color)
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Color, other: Color): number {
  const [first, second] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** `share` of the one, the rest of the other. */
export function mix(one: Color, other: Color, share: number): Color {
  const others = partsOf(other);
  const parts = partsOf(one).map((part, at) => Math.round(part * share + (others[at] ?? 0) * (1 - share)));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

const [black, white] = ['#000000', '#ffffff'];

/** Black or white, whichever stands out more on the colour. */
export const textOn = (color: Color): Color => (contrast(white, color) > contrast(black, color) ? white : black);

const readable = 4.5;
const step = 0.06;

/** The colour, as much darker or lighter as it takes to be read as text on each of the grounds (WCAG 2.2 §1.4.3). */
export function readableOn(color: Color, grounds: readonly Color[]): Color {
  const end = textOn(grounds[0] ?? white);
  for (let share = 1; share > 0; share -= step) {
    const shade = mix(color, end, share);
    if (grounds.every((ground) => contrast(shade, ground) >= readable)) return shade;
  }
  return end;
}
