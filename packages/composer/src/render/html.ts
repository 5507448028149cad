const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Markup that is safe to insert; everything else is escaped. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = Html | string | number | undefined | false | readonly Part[];

const markupOf = (part: Part): string => {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  return typeof part === 'object' ? part.map(markupOf).join('') : escapeHtml(String(part));
};

/**
 * Template tag: escapes every value that is not Html itself. Undefined and false print nothing; lists are joined.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, at) => text + markupOf(parts[at])).join(''));
}
