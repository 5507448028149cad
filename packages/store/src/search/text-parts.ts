/** A part has at most so many characters (code points). */
export const partLength = 3;

/**
 * The characters of a text without case. A text that contains another one, whatever the case of both, contains it
 * folded, too.
 */
export const folded = (text: string): string[] => Array.from(Array.from(text, (point) => point.toUpperCase().toLowerCase()).join(''));

/**
 * What is indexed of a text: from each of its characters on, up to three. So a search for three characters is equal to
 * a part, and a search for fewer is the beginning of one.
 */
export function textParts(text: string): string[] {
  const points = folded(text);
  return [...new Set(points.map((_, index) => points.slice(index, index + partLength).join('')))];
}
