import { isFilled } from '../placeholders.ts';
import type { SectionName } from '../sections/section-names.ts';
import type { Site, SitePage, SiteSection } from '../site.ts';
import { sectionsIn } from '../understand/section-in.ts';
import { wordPattern } from '../understand/text.ts';
import { type Change, type EditRequest, has, type Intent, mentions, pageIn, pagesIn, sectionName, withPage } from './request.ts';

const maxSections = 30;
const maxRemoved = 20;
const fixed: ReadonlySet<SectionName> = new Set(['pagehead', 'thanks', 'notfound', 'imprint', 'privacy']);

/** Sections in the order in which the sentence names them. */
const named = (request: EditRequest): SectionName[] =>
  sectionsIn(request.sentence)
    .filter(({ kind }) => !fixed.has(kind))
    // "On the about page" names no section, and "everything about jobs" names the jobs.
    .filter(({ at }) => !pagesIn(request).some((page) => page.isPage && page.at <= at && at < page.end))
    .filter(({ kind, at }, _, all) => kind !== 'about' || !all.some((other) => other.at === at + 'about '.length))
    .toSorted((one, two) => one.at - two.at)
    .map(({ kind }) => kind);

function insert(page: SitePage, section: SiteSection): SitePage {
  const last = page.sections.at(-1);
  const at = last?.kind === 'banner' ? page.sections.length - 1 : page.sections.length;
  return { ...page, sections: page.sections.toSpliced(at, 0, section) };
}

/** The site with one more section, on the home page before its last banner if no other page is given. */
export function withSection(site: Site, kind: SectionName, pageId = 'home'): Site {
  const page = site.pages.find(({ id }) => id === pageId) ?? site.pages[0];
  if (page === undefined || page.sections.length >= maxSections) return site;
  const removed = site.removed.findLast((entry) => entry.section.kind === kind && entry.page === page.id);
  const next = withPage(site, insert(page, removed?.section ?? { kind }));
  return { ...next, removed: site.removed.filter((entry) => entry !== removed) };
}

/** "Add a pricing section", "add a gallery to the about page". */
export const add: Intent = (request) => {
  const kind = named(request)[0];
  if (kind === undefined || !has(request, 'add') || has(request, 'remove')) return undefined;
  const { site } = request;
  const page = pageIn(request) ?? site.pages.find(({ id }) => id === 'home') ?? site.pages[0];
  if (page === undefined) return undefined;
  const section = sectionName(request, kind);
  if (kind !== 'custom' && page.sections.some((other) => other.kind === kind)) return { message: 'alreadyThere', values: { section } };
  if (page.sections.length >= maxSections) return { message: 'pageFull' };
  return {
    site: withSection(site, kind, page.id),
    message: isFilled(site, { kind }) ? 'sectionAdded' : 'sectionAddedHidden',
    values: { section },
  };
};

function removeFrom(request: EditRequest, page: SitePage, kind: SectionName): Change {
  const { site } = request;
  const section = page.sections.find((candidate) => candidate.kind === kind);
  if (section === undefined) return { message: 'notThere', values: { section: sectionName(request, kind) } };
  const next = withPage(site, { ...page, sections: page.sections.filter((other) => other !== section) });
  const removed = [...site.removed, { page: page.id, section }].slice(-maxRemoved);
  return { site: { ...next, removed }, message: 'sectionRemoved', values: { section: sectionName(request, kind) } };
}

/** "Remove the gallery". Of several, the one on the home page goes first. */
export const remove: Intent = (request) => {
  const kind = named(request)[0];
  if (kind === undefined || !has(request, 'remove')) return undefined;
  const page = pageIn(request) ?? request.site.pages.find(({ sections }) => sections.some((section) => section.kind === kind));
  if (page !== undefined) return removeFrom(request, page, kind);
  const isRemoved = request.site.removed.some(({ section }) => section.kind === kind);
  return { message: isRemoved ? 'removedBefore' : 'notThere', values: { section: sectionName(request, kind) } };
};

/** "Bring back the gallery". */
export const restore: Intent = (request) => {
  if (!has(request, 'restore')) return undefined;
  const { site } = request;
  const kind = named(request)[0];
  const entry = site.removed.findLast(({ section }) => kind === undefined || section.kind === kind);
  if (entry === undefined)
    return kind === undefined ? undefined : { message: 'neverRemoved', values: { section: sectionName(request, kind) } };
  return {
    site: withSection(site, entry.section.kind, entry.page),
    message: 'sectionRestored',
    values: { section: sectionName(request, entry.section.kind) },
  };
};

const before = wordPattern('before above over vor uber oberhalb avant au-dessus antes encima');
const behind = wordPattern('after below under behind nach unter hinter apres au-dessous sous despues debajo tras');
const top = wordPattern(
  'top first start beginning anfang oben erste* ganz_nach_oben haut debut premier* en_haut arriba principio primer* inicio',
);
const bottom = wordPattern('bottom last end ende unten letzte* schluss bas fin dernier* en_bas abajo final ultim*');
const up = wordPattern('up higher hoch hoher rauf plus_haut monte* remonte* sube* mas_arriba subir');
const down = wordPattern('down lower runter tiefer herunter descend* plus_bas baja* mas_abajo bajar');

/** Where something goes among the others, as an index; undefined if the sentence does not say. */
export function targetOf(
  request: EditRequest,
  places: { readonly from: number; readonly first: number; readonly count: number; readonly anchor: number },
): number | undefined {
  const { from, first, count, anchor } = places;
  if (anchor >= 0 && mentions(request, before)) return Math.max(anchor, first);
  if (anchor >= 0 && mentions(request, behind)) return anchor + 1;
  if (mentions(request, up)) return Math.max(from - 1, first);
  if (mentions(request, down)) return Math.min(from + 1, count);
  if (mentions(request, top)) return first;
  return mentions(request, bottom) ? count : undefined;
}

/** "Put the team on the about page". */
function moveToPage(request: EditRequest, kind: SectionName, from: SitePage, to: SitePage): Change {
  const section = from.sections.find((candidate) => candidate.kind === kind);
  if (section === undefined || to.sections.length >= maxSections) return { message: 'pageFull' };
  const left = withPage(request.site, { ...from, sections: from.sections.filter((other) => other !== section) });
  return { site: withPage(left, insert(to, section)), message: 'sectionMoved', values: { section: sectionName(request, kind) } };
}

/** "Move the gallery up", "put the team before the prices". */
export const move: Intent = (request) => {
  const [kind, anchor] = named(request);
  if (kind === undefined || !(has(request, 'move') || mentions(request, up) || mentions(request, down))) return undefined;
  const wished = pageIn(request);
  const holder = request.site.pages.find(({ sections }) => sections.some((section) => section.kind === kind));
  if (wished !== undefined && holder !== undefined && !wished.sections.some((section) => section.kind === kind))
    return moveToPage(request, kind, holder, wished);
  if (wished !== undefined && holder === undefined && request.site.removed.some(({ section }) => section.kind === kind))
    return { site: withSection(request.site, kind, wished.id), message: 'sectionMoved', values: { section: sectionName(request, kind) } };
  const page = wished ?? holder;
  const from = page?.sections.findIndex((section) => section.kind === kind) ?? -1;
  const section = page?.sections[from];
  if (page === undefined || section === undefined) return { message: 'notThere', values: { section: sectionName(request, kind) } };
  const others = page.sections.toSpliced(from, 1);
  const first = others[0]?.kind === 'hero' || others[0]?.kind === 'pagehead' ? 1 : 0;
  const to = targetOf(request, { from, first, count: others.length, anchor: others.findIndex((other) => other.kind === anchor) });
  if (to === undefined) return wished && { message: 'alreadyThere', values: { section: sectionName(request, kind) } };
  return {
    site: withPage(request.site, { ...page, sections: others.toSpliced(to, 0, section) }),
    message: isFilled(request.site, section) ? 'sectionMoved' : 'sectionMovedHidden',
    values: { section: sectionName(request, kind) },
  };
};
