const maxLength = 100;
/** Control, format (also bidirectional) and line-breaking characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
/** Every character that a resolver or mail program takes for the dot of a host name (UTS #46). */
const dotBeforeName = /([.\u2024\u3002\uFE52\uFF0E\uFF61])(?=[\p{L}\p{N}])/gu;

/**
 * A name that a stranger chose, as it may stand in a mail: one line, and nothing that mail programs turn into a link.
 * `Visit evil.example` becomes `Visit evil. example`; an ordinary name stays as it is.
 */
export const plainName = (name: string): string =>
  oneLine(name, maxLength)
    .replace(dotBeforeName, '$1 ')
    .replace(/:(?=\/\/)/g, ': ')
    .replace(/@/g, ' at ');

/** Text for a header: one line without control characters. */
export const oneLine = (text: string, length: number): string => text.replace(invisible, ' ').trim().slice(0, length);
