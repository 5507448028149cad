import type { FormControls, FormField } from './form-fields.ts';

const linksMost = 5;
const link = /\bhttps?:\/\/|\bwww\./gi;
/** People do not write markup into forms. */
const linkMarkup = /<a\s[^>]{0,200}href|\[url[=\]]/i;

/** Whether what a form sent looks like what no visitor of flesh and blood would send. */
export function looksLikeSpam(fields: readonly FormField[], { trapped }: FormControls): boolean {
  if (trapped) return true;
  const texts = fields.flatMap(({ values }) => values);
  if (texts.some((text) => linkMarkup.test(text))) return true;
  return texts.reduce((links, text) => links + (text.match(link)?.length ?? 0), 0) > linksMost;
}
