import { createHash } from 'node:crypto';
import type { ListedPicture } from '@webkiln/contract';
import { imagePath } from '../images/image-names.ts';
import { drawImages } from '../images/images.ts';
import { isFilled } from '../placeholders.ts';
import { hasPageHeading, renderSection } from '../sections/render-section.ts';
import { type Site, type SitePage, specificationPath } from '../site.ts';
import { palettesOf } from '../themes/palette.ts';
import { contextOf, kickerOf, leadOf, type RenderContext } from './context.ts';
import { factList, photo } from './elements.ts';
import { type Html, html } from './html.ts';
import { hrefOf, pageTitleOf, pathOf } from './page-names.ts';
import { structuredData } from './structured-data.ts';
import { styleSheet } from './style-sheet.ts';

const maxDescriptionLength = 155;

export const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Renders everything but the specification, what pages load before the pages. Equal sites give equal files. */
export function renderFiles(site: Site): Map<string, string> {
  const pages = site.pages.map((page): [string, string] => [pathOf(page), renderPage(site, page)]);
  return new Map([['style.css', styleSheet(site)], ...drawImages(site), ...pages]);
}

/** The specification with the hashes of the files that were rendered from it. */
export const withHashes = (site: Site, rendered: ReadonlyMap<string, string>): Site => ({
  ...site,
  hashes: Object.fromEntries([...rendered].map(([path, content]) => [path, hashOf(content)])),
});

export const specificationFile = (site: Site): [string, string] => [specificationPath, `${JSON.stringify(site, undefined, 2)}\n`];

/** Renders one page. One element per line, so that changes by hand can be merged line by line. */
function renderPage(site: Site, page: SitePage): string {
  const context = contextOf(site, page);
  const hasHeading = page.sections.some(({ kind }) => hasPageHeading.has(kind));
  const sections = page.sections
    .filter((section) => isFilled(site, section))
    .map((section) => renderSection[section.kind](context, section));
  return html`<!doctype html>
<html lang="${site.locale}">
${head(context)}<body class="direction-${site.direction} page-${page.id}">
<a class="skip" href="#content">${context.labels.skip}</a>
${header(context)}<main id="content">
${
  !hasHeading &&
  html`<h1 class="unseen">${pageTitleOf(site, page)}</h1>
`
}${sections}</main>
${footer(context)}</body>
</html>
`.markup;
}

function head(context: RenderContext): Html {
  const { site, page, fill } = context;
  const { base, dark } = palettesOf(site);
  const isHome = page.id === 'home';
  const title = isHome
    ? [site.name, kickerOf(context)].filter((part) => part !== '').join(' · ')
    : `${page.sections[0]?.heading ?? pageTitleOf(site, page)} · ${site.name}`;
  const hero = site.pages.find(({ id }) => id === 'home')?.sections.find(({ kind }) => kind === 'hero');
  const description = `${isHome ? '' : `${pageTitleOf(site, page)}. `}${hero?.text ?? fill(leadOf(context))}`.slice(
    0,
    maxDescriptionLength,
  );
  const isHidden = page.id === 'notfound' || page.id === 'thanks';
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${site.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${linkPreview(site)}<meta name="color-scheme" content="${dark === undefined ? (site.scheme === 'light' ? 'light' : 'dark') : 'light dark'}">
<meta name="theme-color" content="${base.header}">
${
  isHidden &&
  html`<meta name="robots" content="noindex">
`
}${icons(site)}<link rel="stylesheet" href="/style.css">
${isHome && structuredData(site)}</head>
`;
}

/** A file that every program reads, also those that know no WebP. */
const plainFileOf = ({ files }: ListedPicture) => files.find(({ format }) => format !== 'webp') ?? files.at(-1);

/** The picture that links to the site show: the logo, else the first picture of the home page, but no drawing. */
function linkPreview({ pictures }: Site): Html {
  const { logo, hero } = pictures;
  const shown = logo ?? hero;
  const file = shown && plainFileOf(shown);
  const card = html`<meta name="twitter:card" content="${logo === undefined && hero !== undefined ? 'summary_large_image' : 'summary'}">
`;
  if (shown === undefined || file === undefined) return card;
  return html`<meta property="og:image" content="/${file.path}">
<meta property="og:image:width" content="${file.width}">
<meta property="og:image:height" content="${file.height}">
${
  shown.alt !== '' &&
  html`<meta property="og:image:alt" content="${shown.alt}">
`
}${card}`;
}

function icons({ pictures: { logo } }: Site): Html {
  const file = logo && plainFileOf(logo);
  if (file === undefined)
    return html`<link rel="icon" href="/${imagePath('icon')}" type="image/svg+xml">
`;
  return html`<link rel="icon" href="/${file.path}" type="image/${file.format}">
<link rel="apple-touch-icon" href="/${file.path}">
`;
}

/** From this ratio of width to height on a logo is taken for one that holds the name. */
const minWordmarkRatio = 1.8;

/** What the header has first: the logo, or the icon and the name. */
function brand(site: Site): Html {
  const { logo } = site.pictures;
  if (logo === undefined) return html`<img src="/${imagePath('icon')}" alt="" width="40" height="40"> <span>${site.name}</span>`;
  const { width, height } = logo.files.at(0) ?? { width: 1, height: 1 };
  const hasName = width / height >= minWordmarkRatio;
  return html`${photo(logo, { alt: hasName ? site.name : '', sizes: '12rem', className: 'logo' })}${!hasName && html` <span>${site.name}</span>`}`;
}

/** A link to a page; the page that is shown is marked for assistive technology and style. */
const pageLink = ({ site, page }: RenderContext, target: SitePage): Html =>
  html`<a href="${hrefOf(target)}"${target.id === page.id && html` aria-current="page"`}>${pageTitleOf(site, target)}</a>
`;

function header(context: RenderContext): Html {
  const { site, labels, theme } = context;
  const listed = site.pages.filter(({ isListed }) => isListed);
  return html`<header class="site-header header-${theme.header}">
<a class="brand" href="/">${brand(site)}</a>
<nav class="site-nav" aria-label="${labels.mainNavigation}">
${listed.map((target) => pageLink(context, target))}</nav>
</header>
`;
}

function footer(context: RenderContext): Html {
  const { site, labels } = context;
  const facts = factList(context);
  const unlisted = site.pages.filter(({ id }) => id === 'imprint' || id === 'privacy');
  return html`<footer class="site-footer">
<div class="footer-body">
<p class="brand">${site.name}</p>
${facts}<nav aria-label="${labels.footerNavigation}">
${[...site.pages.filter(({ isListed }) => isListed), ...unlisted].map((target) => pageLink(context, target))}</nav>
${
  kickerOf(context) !== '' &&
  html`<p class="fine">${kickerOf(context)}</p>
`
}</div>
</footer>
`;
}
