/** The end of a key that holds one plural form of a text. */
const pluralForm = /_(zero|one|two|few|many|other)$/;
/** `{{name}}`, `{{count, number}}` or `{{names, list}}`. */
const placeholder = /\{\{(\w+)(?:, (number|list))?\}\}/g;

interface Tree {
  readonly [key: string]: string | readonly string[] | Tree;
}

type Values = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * The texts of one JSON file in its language. It has the part of i18next's JSON v4 that `scripts/texts.ts` checks:
 * placeholders, with numbers and lists, and plural forms by `Intl.PluralRules`, with `_zero` for none. A text with
 * either is a function of their values, `texts.files({ count: 2 })`; its type is generated from the English file.
 */
export function textsOf<T>(language: string, json: object): T {
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  const lists = new Intl.ListFormat(language);

  const fill = (text: string, values: Values) =>
    text.replace(placeholder, (_match, name: string, format: string | undefined) => {
      const value = values[name] ?? '';
      if (format === 'number') return numbers.format(Number(value));
      return format === 'list' ? lists.format(value as readonly string[]) : String(value);
    });

  const formOf = (forms: Tree, name: string, { count }: Values) => {
    const none = count === 0 ? forms[`${name}_zero`] : undefined;
    return String(none ?? forms[`${name}_${plurals.select(Number(count))}`]);
  };

  const read = (tree: Tree): Record<string, unknown> => {
    const texts: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(tree)) {
      const name = key.replace(pluralForm, '');
      if (typeof value !== 'string') texts[key] = Array.isArray(value) ? value : read(value as Tree);
      else if (name !== key) texts[name] = (values: Values) => fill(formOf(tree, name, values), values);
      else texts[key] = value.includes('{{') ? (values: Values) => fill(value, values) : value;
    }
    return texts;
  };
  return read(json as Tree) as T;
}
