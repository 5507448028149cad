const maxPromptLength = 2000;

/**
 * A prompt without control characters, invisible marks and overlong parts. Markup in it is text, and is escaped when
 * rendered.
 */
export const cleaned = (text: string): string =>
  text
    .slice(0, 4 * maxPromptLength)
    .normalize('NFC')
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, (character) => (character === '\n' || character === '\t' ? character : ' '))
    .replace(/[ \t]+/g, ' ')
    .slice(0, maxPromptLength)
    .toWellFormed()
    .trim();

/** Lower case without accents, for comparing words of four languages. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[’‘`´]/g, "'");

/** A list of words separated by spaces as a pattern: `_` is a space, `*` any ending, `~` an ending of
 * up to two letters. It matches whole words of plain text. */
export const wordPattern = (list: string): RegExp => {
  const alternatives = list
    .split(' ')
    .filter((word) => word !== '')
    .map((word) =>
      plain(word)
        .replace(/[.+?^$()[\]{}|\\]/g, '\\$&')
        .replaceAll('_', "[ '-]+")
        .replaceAll('*', '\\p{L}*')
        .replaceAll('~', '\\p{L}{0,2}'),
    );
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'gu');
};
