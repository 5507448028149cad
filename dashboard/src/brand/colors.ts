/** A color as `#1a2b3c`. */
type Color = string;

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

const channelsOf = (color: Color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** WCAG 2.2 relative luminance. */
function luminanceOf(color: Color): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color)
    .map((channel) => channel / 255)
    .map((channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Color, other: Color): number {
  const [first, second] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** Mixes two colors: `share` (0 to 1) of the first, the rest of the second. */
export function mix(one: Color, other: Color, share: number): Color {
  const others = channelsOf(other);
  const channels = channelsOf(one).map((channel, at) => Math.round(channel * share + (others[at] ?? 0) * (1 - share)));
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

const [black, white] = ['#000000', '#ffffff'];

/** Black or white, whichever has more contrast on the color. */
export const textOn = (color: Color): Color => (contrast(white, color) > contrast(black, color) ? white : black);

const minContrast = 4.5;
const step = 0.06;

/** The color, darkened or lightened until it has enough contrast as text on every background (WCAG 2.2 §1.4.3). */
export function readableOn(color: Color, backgrounds: readonly Color[]): Color {
  const end = textOn(backgrounds[0] ?? white);
  for (let share = 1; share > 0; share -= step) {
    const shade = mix(color, end, share);
    if (backgrounds.every((background) => contrast(shade, background) >= minContrast)) return shade;
  }
  return end;
}
