/** True if a text has another in it, whatever their cases and accents. */
export const contains = (text: string, part: string): boolean => folded(text).includes(folded(part));

const folded = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
