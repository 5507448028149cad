import { pageTitleOf } from '../render/page-names.ts';
import type { Site, SitePage } from '../site.ts';
import { sectionsIn } from '../understand/section-in.ts';
import { plain, wordPattern } from '../understand/text.ts';
import { targetOf } from './edit-sections.ts';
import { type Change, type EditRequest, has, type Intent, pageIn, pagesIn, saysPage, valueAfter, withPage } from './request.ts';

const maxPages = 20;
const maxListed = 9;
const pageSubject = /(?<!\p{L})(?:page|seite|unterseite|página|pagina)(?!\p{L})/iu;
const called =
  /(?<!\p{L})(?:page|seite|unterseite|página|pagina)\s*(?:(?:called|named|titled|for|about|of|namens|mit dem titel|für|über|appelée|intitulée|nommée|pour|sur|llamada|titulada|para|sobre|des|de)\s+)?["“”„«»:\s]*([^"“”„«»\n]{2,60})/iu;

const calledAs = /\s(?:called|named|namens|appelée|nommée|llamada)\s+([^\n]{1,60}?)[.!?]*$/iu;
const newPage =
  /(?<!\p{L})(?:an?|another|one|eine|une|una|otra)\s+(?<between>(?:(?!to\s|on\s|of\s|the\s|for\s|and\s|zu\s|auf\s|der\s|die\s|das\s|dem\s|den\s|à\s|a\s|de\s|la\s|le\s|les\s|el\s|los\s|las\s)[\p{L}&'’-]+\s+){0,3}?)(?:page|seite|unterseite|página|pagina)(?!\p{L})|(?<!\p{L})(?:new|neue|weitere|nouvelle|autre|nueva|otra)\s+(?:page|seite|unterseite|página|pagina)(?!\p{L})/iu;
/** Words before "page" that are no title. */
const ordinals = wordPattern(
  'new another second third fourth extra additional separate own further more whole neue weitere zweite dritte eigene zusatzliche extra nouvelle autre deuxieme seconde troisieme nueva otra segunda tercera',
);
const withWords = /\s+(?:with|mit|avec|con)\s+/iu;
const withText = /^(?:the |dem |le |el |a |einem |un )?(?:text|texte|texto)\s*:?\s*["“„«]?\s*(.+?)\s*["”“»]?$/iu;

/** A path for a title: "Our farm" becomes "our-farm", with a number if it is taken. */
function slugOf(site: Site, title: string): string {
  const base =
    plain(title)
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 36)
      .replace(/-$/, '') || 'page';
  const isTaken = (slug: string) => slug === 'index' || site.pages.some((page) => page.slug === slug || page.id === slug);
  for (let number = 1; number <= maxPages + 1; number += 1) {
    const slug = number === 1 ? base : `${base}-${number}`;
    if (!isTaken(slug)) return slug;
  }
  return `${base}-${maxPages + 2}`;
}

/** The title of the page that a sentence wishes, and what it says shall be on it. */
function pageWished(sentence: string): { title: string; rest: string } | undefined {
  const wished = sentence.match(newPage);
  if (wished === null) return undefined;
  const between = plain(wished.groups?.between ?? '')
    .replace(ordinals, '')
    .trim();
  const after = sentence.match(called)?.[1] ?? '';
  const isIntroduced = after !== '' && (between === '' || !withWords.test(sentence.slice(wished.index ?? 0)));
  const [named = '', ...rest] = (isIntroduced ? after : '').split(withWords);
  const title = (named.trim() === '' ? (wished.groups?.between ?? '').trim() : named)
    .replace(/\s+(?:hinzu|ein|an)[.!]?$/u, '')
    .replace(/[.!]+$/, '')
    .replace(/^(?:the|die|das|der|les?|la|l['’]|los|las|el)\s*(?=\p{L}{3})/iu, (found) => (/['’]$|\s$/u.test(found) ? '' : found))
    .trim();
  const behind = sentence
    .slice((wished.index ?? 0) + wished[0].length)
    .split(withWords)
    .slice(1)
    .join(' ');
  return title === '' ? undefined : { title: `${title.charAt(0).toLocaleUpperCase()}${title.slice(1)}`, rest: behind || rest.join(' ') };
}

/** Sections that a page has for its title: an events page has dates. */
const pageSections = (title: string, text: string | undefined): SitePage['sections'] => [
  { kind: 'pagehead' },
  ...sectionsIn(title)
    .slice(0, 3)
    .filter(({ kind }) => !['hero', 'pagehead', 'custom', 'imprint', 'privacy', 'thanks', 'notfound', 'banner'].includes(kind))
    .map(({ kind }) => ({ kind })),
  { kind: 'custom', ...(text === undefined ? {} : { heading: '', text }) },
  { kind: 'gallery', layout: 'strip' },
  { kind: 'banner' },
];

/** "Add a page called Our farm", "add a second page about our roastery", "add an events page". */
export const addPage: Intent = (request) => {
  const { site, sentence } = request;
  if (!has(request, 'add') || has(request, 'remove')) return undefined;
  const wished = pageWished(sentence);
  if (wished === undefined) return undefined;
  const removed = site.removedPages.findLast((page) => request.plain.includes(plain(pageTitleOf(site, page))));
  if (site.pages.length >= maxPages || site.pages.filter(({ isListed }) => isListed).length >= maxListed)
    return { message: 'tooManyPages' };
  const slug = slugOf(site, wished.title);
  const text = wished.rest.match(withText)?.[1]?.slice(0, 2000);
  const sections = pageSections(`${wished.title} ${text === undefined ? wished.rest : ''}`, text);
  const page: SitePage = removed ?? { id: slug, slug, title: wished.title, isListed: true, sections };
  const contact = site.pages.findLastIndex(({ id }) => id === 'contact');
  const pages = site.pages.toSpliced(contact < 0 ? 1 : contact, 0, page);
  return {
    site: { ...site, pages, removedPages: site.removedPages.filter((other) => other !== removed) },
    message: 'pageAdded',
    values: { value: pageTitleOf(site, page) },
  };
};

const navigation =
  /\s(?:in|of|im|in der|des|der|dans|de|du|en|del|de la)\s(?:the |le |la |el )?(?:menus?|menues|nav|navigation|navigacion|navigationsleiste)(?![\p{L}])/u;

/** "Put the about page before the contact page", "move the menu page to the end". The home page stays first. */
export const movePage: Intent = (request) => {
  if (!has(request, 'move') || has(request, 'remove') || !(saysPage(request) || navigation.test(request.plain))) return undefined;
  const searched = request.plain.replace(navigation, ' ');
  const [moved, anchor] = pagesIn({ site: request.site, plain: searched })
    .slice(0, 2)
    .toSorted((one, two) => one.at - two.at);
  const firstSection = Math.min(...sectionsIn(searched).map(({ at }) => at));
  if (moved === undefined || firstSection < moved.at) return undefined;
  if (moved.page.id === 'home') return { message: 'pageStays' };
  const { pages } = request.site;
  const others = pages.filter((page) => page.isListed && page !== moved.page);
  const from = pages.filter(({ isListed }) => isListed).indexOf(moved.page);
  const anchorAt = anchor === undefined ? -1 : others.indexOf(anchor.page);
  const to = targetOf({ ...request, plain: searched }, { from, first: 1, count: others.length, anchor: anchorAt });
  if (to === undefined) return undefined;
  const listed = others.toSpliced(to, 0, moved.page);
  return {
    site: { ...request.site, pages: [...listed, ...pages.filter(({ isListed }) => !isListed)] },
    message: 'pageMoved',
    values: { value: pageTitleOf(request.site, moved.page) },
  };
};

/** Says that the page is one that an earlier edit removed, and how to bring it back. */
function removedBefore(request: EditRequest): Change | undefined {
  const title = (page: SitePage) => pageTitleOf(request.site, page);
  const page = request.site.removedPages.findLast((candidate) => request.plain.includes(plain(title(candidate))));
  return page === undefined || !saysPage(request) ? undefined : { message: 'pageRemovedBefore', values: { value: title(page) } };
}

/** "Remove the about page". The home page, the legal pages and the 404 page stay. */
export const removePage: Intent = (request) => {
  if (
    !has(request, 'remove') ||
    !saysPage(request) ||
    / (?:from|off|von|aus|auf|de|du|del|en|on|sur) /u.test(
      request.plain.split(/\bpage|seite|pagina/u)[0]?.replace(/(?<!\p{L})(?:la|le|die|the)(?!\p{L})/gu, '') ?? '',
    )
  )
    return undefined;
  const { site } = request;
  const page = pageIn(request);
  if (page === undefined) return removedBefore(request);
  if (page.id === 'home' || !page.isListed) return { message: 'pageStays' };
  const next: Site = {
    ...site,
    pages: site.pages.filter(({ id }) => id !== page.id),
    removedPages: [...site.removedPages, page].slice(-10),
  };
  return { site: next, message: 'pageRemoved', values: { value: pageTitleOf(site, page) } };
};

/** "Rename the about page to Our story". Its address stays. */
export const renamePage: Intent = (request) => {
  const { site, sentence } = request;
  const page = has(request, 'change') && !newPage.test(sentence) ? pageIn(request) : undefined;
  if (page === undefined) return has(request, 'change') ? removedBefore(request) : undefined;
  const title = pageTitleOf(site, page);
  const at = sentence.toLowerCase().indexOf(title.toLowerCase());
  const rest = at < 0 ? sentence : sentence.slice(at + title.length);
  const value = (valueAfter(rest, pageSubject) ?? rest.match(calledAs)?.[1])?.replace(/\s+um[.!]?$/u, '').slice(0, 60);
  return value === undefined ? undefined : { site: withPage(site, { ...page, title: value }), message: 'pageRenamed', values: { value } };
};
