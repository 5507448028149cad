import { fill, languageOf } from '../languages.ts';
import type { Site, SitePage } from '../site.ts';

export const hrefOf = ({ slug }: SitePage): string => `/${slug}`;
export const pathOf = ({ slug }: SitePage): string => (slug === '' ? 'index.html' : `${slug}.html`);

/** What navigation and heading call a page. */
export function pageTitleOf(site: Site, page: SitePage): string {
  if (page.title !== undefined) return page.title;
  const { interface: labels, kinds, sections } = languageOf(site.locale);
  const titles: Readonly<Record<string, string>> = {
    home: labels.home,
    offers: kinds[site.kind].offersLabel,
    about: labels.about,
    contact: labels.contact,
    imprint: labels.imprint,
    privacy: labels.privacy,
  };
  const first = page.sections[0];
  return (
    titles[page.id] ?? (first === undefined ? site.name : fill(sections[first.kind].heading, site.locale, site.kind, { name: site.name }))
  );
}
