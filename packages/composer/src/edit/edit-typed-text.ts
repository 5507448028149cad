import { textAt, withText } from '@webkiln/site-check';
import { pathOf } from '../render/page-names.ts';
import { renderFiles } from '../render/render-site.ts';
import { Site, siteOf } from '../site.ts';
import { applyChange } from './keep-changes.ts';
import { slotsOf } from './text-slots.ts';

/** A text that a person typed in place of another one. */
export interface TypedText {
  /** The path of the page. */
  readonly page: string;
  /** The index of each node among all children of its parent, from the `html` element to the text. */
  readonly at: readonly number[];
  /** The whole text that is there, with its white space. */
  readonly before: string;
  /** One line, without white space around it. */
  readonly text: string;
}

/**
 * Changes one text of a page of any site. What a composed site is made from changes with it, if the text is among that,
 * so that later edits keep it; else the page alone, whose change later edits merge with. Returns the files that
 * changed; undefined if the page does not have the text as such.
 */
export function editTypedText(files: ReadonlyMap<string, string>, typed: TypedText): Map<string, string> | undefined {
  const { page, at, before, text } = typed;
  const direct = withText(files.get(page) ?? '', at, before, text);
  if (direct === undefined) return undefined;
  const site = siteOf(files);
  return (site && changeInSite(site, files, typed)) ?? new Map([[page, direct]]);
}

/** No word of a site, and no markup. */
const markOf = (number: number) => `webkilnmark${number}end`;

/** Undefined if the text is not among what the site is made from, or a change by hand is in the way. */
function changeInSite(
  site: Site,
  files: ReadonlyMap<string, string>,
  { page, at, before, text }: TypedText,
): Map<string, string> | undefined {
  const shown = site.pages.find((candidate) => pathOf(candidate) === page);
  const rendered = renderFiles(site).get(page) ?? '';
  if (shown === undefined || textAt(rendered, at) !== before) return undefined;
  const slots = slotsOf(site, shown);
  const marked = slots.reduce((changed, slot, number) => slot(changed, markOf(number)), site);
  const mark = textAt(renderFiles(marked).get(page) ?? '', at)?.trim();
  const slot = slots.find((_, number) => markOf(number) === mark);
  const next = slot && Site.safeParse(slot(site, text)).data;
  if (next === undefined) return undefined;
  const after = renderFiles(next).get(page) ?? '';
  if (textAt(after, at)?.trim() !== text || tagsOf(after) !== tagsOf(rendered)) return undefined;
  const changed = [...applyChange({ site, files }, next).files].filter(
    (file): file is [string, string] => typeof file[1] === 'string' && files.get(file[0]) !== file[1],
  );
  const changes = new Map(changed);
  return textAt(changes.get(page) ?? '', at)?.trim() === text ? changes : undefined;
}

/** The tags of a page: another text changes none. */
const tagsOf = (page: string): string => page.match(/<\/?[a-z][a-z0-9]*/g)?.join('') ?? '';
