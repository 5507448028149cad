type Rgb = readonly [red: number, green: number, blue: number];

const channels = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as unknown as Rgb;
const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const toGamma = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** Relative luminance, WCAG 2.2. */
function luminance(hex: string): number {
  const [red, green, blue] = channels(hex).map(toLinear) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of two colors, 1 to 21 (WCAG 2.2). */
export function contrast(first: string, second: string): number {
  const [one, two] = [luminance(first), luminance(second)];
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
}

/** `#rrggbb` of an OKLCH color (lightness 0–1, chroma 0–0.37, hue in degrees), clipped to sRGB. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const bytes = linear.map((value) => Math.round(clamp(toGamma(clamp(value))) * 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Mixes two colors in sRGB; `share` is how much of the second. */
export function mix(first: string, second: string, share: number): string {
  const other = channels(second);
  const mixed = channels(first).map((value, at) => Math.round((value * (1 - share) + (other[at] ?? 0) * share) * 255));
  return `#${mixed.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Moves a color towards black or white until it has the contrast on every background. */
export function readable(color: string, backgrounds: readonly string[], minContrast: number): string {
  const enough = (candidate: string) => backgrounds.every((background) => contrast(candidate, background) >= minContrast);
  for (let share = 0; share <= 1; share += 0.04) {
    const found = ['#000000', '#ffffff'].map((end) => mix(color, end, share)).find(enough);
    if (found !== undefined) return found;
  }
  return contrast('#000000', backgrounds[0] ?? '#ffffff') > contrast('#ffffff', backgrounds[0] ?? '#ffffff') ? '#000000' : '#ffffff';
}
