import { pageTitleOf } from '../render/page-names.ts';
import type { Site, SitePage } from '../site.ts';
import { plain } from '../understand/text.ts';
import { type Change, type EditRequest, has, type Intent, pageIn, saysPage, valueAfter, withPage } from './request.ts';

const maxPages = 20;
const maxListed = 9;
const pageSubject = /(?<!\p{L})(?:page|seite|unterseite|página|pagina)(?!\p{L})/iu;
const called =
  /(?<!\p{L})(?:page|seite|unterseite|página|pagina)\s*(?:(?:called|named|titled|for|about|namens|mit dem titel|für|über|appelée|intitulée|nommée|pour|sur|llamada|titulada|para|sobre)\s+)?["“”„«»:\s]*([^"“”„«»\n]{2,60})/iu;

const newPage =
  /(?<!\p{L})(?:an?|another|new|eine|neue|weitere|une|nouvelle|autre|una|nueva|otra)\s+(?:page|seite|unterseite|página|pagina)(?!\p{L})/iu;

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

/** "Add a page called Our farm". */
export const addPage: Intent = (request) => {
  const { site, sentence } = request;
  if (!has(request, 'add') || !newPage.test(sentence)) return undefined;
  const removed = site.removedPages.findLast((page) => request.plain.includes(plain(pageTitleOf(site, page))));
  const title = sentence
    .match(called)?.[1]
    ?.replace(/\s+(?:hinzu|ein)[.!]?$/u, '')
    .replace(/[.!]$/, '')
    .trim();
  if (title === undefined || title === '') return undefined;
  if (site.pages.length >= maxPages || site.pages.filter(({ isListed }) => isListed).length >= maxListed)
    return { message: 'tooManyPages' };
  const slug = slugOf(site, title);
  const page: SitePage = removed ?? {
    id: slug,
    slug,
    title,
    isListed: true,
    sections: [{ kind: 'pagehead' }, { kind: 'custom' }, { kind: 'banner' }],
  };
  const listed = site.pages.findLastIndex(({ id }) => id === 'contact');
  const pages = site.pages.toSpliced(listed < 0 ? 1 : listed, 0, page);
  return {
    site: { ...site, pages, removedPages: site.removedPages.filter((other) => other !== removed) },
    message: 'pageAdded',
    values: { value: pageTitleOf(site, page) },
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
    / (?:from|von|aus|auf|de|du|del|en|on|sur) /u.test(
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
  const page = has(request, 'change') ? pageIn(request) : undefined;
  if (page === undefined) return has(request, 'change') ? removedBefore(request) : undefined;
  const title = pageTitleOf(site, page);
  const at = sentence.toLowerCase().indexOf(title.toLowerCase());
  const rest = at < 0 ? sentence : sentence.slice(at + title.length);
  const value = valueAfter(rest, pageSubject)?.slice(0, 60);
  return value === undefined ? undefined : { site: withPage(site, { ...page, title: value }), message: 'pageRenamed', values: { value } };
};
