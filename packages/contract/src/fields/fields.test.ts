import { textColorOn } from './fields.ts';

test.each([
  ['#000000', '#ffffff'],
  ['#ffffff', '#000000'],
  ['#ffee00', '#000000'],
  ['#b4431f', '#ffffff'],
  ['#777777', '#000000'],
  ['#0000FF', '#ffffff'],
])('on %s text is %s', (color, text) => {
  expect(textColorOn(color)).toBe(text);
});

/** The contrast ratio as WCAG 2.2 defines it, independent of the function under test. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const linear = (at: number) => {
      const part = Number(`0x${color.slice(at, at + 2)}`) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
  };
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test('text on any color has a contrast of at least 4.5 to 1', () => {
  const parts = Array.from({ length: 16 }, (_, step) => (step * 17).toString(16).padStart(2, '0'));
  const colors = parts.flatMap((red) => parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)));
  expect(colors.filter((color) => contrast(color, textColorOn(color)) < 4.5)).toEqual([]);
});
