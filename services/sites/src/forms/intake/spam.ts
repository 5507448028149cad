import type { NamedValues } from '@webkiln/contract';
import type { FormControls } from './form-fields.ts';

const maxLinks = 5;
const link = /\bhttps?:\/\/|\bwww\./gi;
/** Link markup, which people do not type into forms. */
const linkMarkup = /<a\s[^>]{0,200}href|\[url[=\]]/i;

/** True if the honeypot is filled in, or the fields contain link markup or too many links. */
export function looksLikeSpam(fields: readonly NamedValues[], { trapped }: FormControls): boolean {
  if (trapped) return true;
  const texts = fields.flatMap(({ values }) => values);
  if (texts.some((text) => linkMarkup.test(text))) return true;
  return texts.reduce((links, text) => links + (text.match(link)?.length ?? 0), 0) > maxLinks;
}
