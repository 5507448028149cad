import { defaultLocale, replyOf, suggestionsOf } from '../languages.ts';
import { placeholdersOf } from '../placeholders.ts';
import { renderFiles, specificationFile, withHashes } from '../render/render-site.ts';
import type { Site } from '../site.ts';
import { localeOf } from '../understand/locale-of.ts';
import { cleaned, plain } from '../understand/text.ts';
import { address, email, event, hours, link, menuLine, person, phone, price, quote } from './edit-facts.ts';
import { color, direction, font, layout, length, scheme } from './edit-look.ts';
import { addPage, removePage, renamePage } from './edit-pages.ts';
import { add, move, remove, restore } from './edit-sections.ts';
import { rename, subtitle, text, title, translate } from './edit-texts.ts';
import { keepChanges } from './keep-changes.ts';
import type { Change, Intent } from './request.ts';

/** Asked in this order: what brings a text of its own before what is recognised by single words. */
const intents: readonly Intent[] = [
  quote,
  link,
  email,
  price,
  menuLine,
  event,
  hours,
  person,
  address,
  phone,
  renamePage,
  subtitle,
  title,
  text,
  translate,
  rename,
  addPage,
  removePage,
  restore,
  layout,
  remove,
  move,
  add,
  font,
  color,
  length,
  scheme,
  direction,
];

export interface EditedSite {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly site: Site;
  /** One sentence that says what changed, in the language of the wish. */
  readonly did: string;
}

export interface NotUnderstood {
  /** A sentence that says why nothing changed. */
  readonly notUnderstood: string;
  /** Three sentences that the composer understands. */
  readonly suggestions: readonly [string, string, string];
}

/** The language of a short sentence, or the site's if it cannot be told. */
const replyLocale = (sentence: string, site: Site): string => {
  const found = localeOf(sentence);
  return found === defaultLocale &&
    !/\b(?:the|a|an|to|make|add|remove|use|change|it|is|bring|move|our|dark|light|shorter|longer)\b/i.test(sentence)
    ? site.locale
    : found;
};

function apply(
  options: { readonly site: Site; readonly files: ReadonlyMap<string, string | Uint8Array> },
  change: Site,
): {
  readonly site: Site;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly blocked: readonly string[];
  readonly hasChanged: boolean;
} {
  const next = { ...change, placeholders: placeholdersOf(change) };
  const after = renderFiles(next);
  const site = withHashes(next, after);
  const { files, blocked, hasChanged } = keepChanges(options.site, options.files, renderFiles(options.site), after);
  return { site, files: new Map([...files, specificationFile(site)]), blocked, hasChanged };
}

/**
 * Carries out one wish ("make the header green") on a composed site. Pure: returns new files and a new
 * specification. Files that were
 * changed by hand keep their changes. Only the first 2,000 characters of the sentence are read.
 */
export function edit(options: {
  readonly site: Site;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly sentence: string;
}): EditedSite | NotUnderstood {
  const sentence = cleaned(options.sentence);
  const locale = replyLocale(sentence, options.site);
  const refuse = (reason: string): NotUnderstood => ({ notUnderstood: reason, suggestions: suggestionsOf(locale, sentence.length) });
  const request = { site: options.site, sentence, plain: plain(sentence), locale };
  const change = intents.reduce<Change | undefined>((found, intent) => found ?? intent(request), undefined);
  if (change === undefined) return refuse(replyOf(locale, 'notUnderstood'));
  if (change.site === undefined) return { files: options.files, site: options.site, did: replyOf(locale, change.message, change.values) };
  const { site, files, blocked, hasChanged } = apply(options, change.site);
  if (!hasChanged && blocked.length > 0) return refuse(replyOf(locale, 'blockedByHand', { value: blocked.join(', ') }));
  const replied = change.message === 'translated' ? change.site.locale : locale;
  const kept = blocked.length === 0 ? '' : replyOf(replied, 'keptByHand', { value: blocked.join(', ') });
  return { files, site, did: `${replyOf(replied, change.message, change.values)}${kept}` };
}
