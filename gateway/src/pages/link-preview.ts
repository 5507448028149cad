import type { Language } from '@webkiln/contract';
import { escapeHtml, isReadByOthers, warningStylePath } from '@webkiln/http';
import { texts } from '../texts.ts';

/** What search engines, chats and social networks show of a link to a page. */
export interface PagePreview {
  readonly title: string;
  readonly description: string;
  /** An absolute URL: those who show it resolve no other. */
  readonly picture: string;
}

/** An agency as the page of its build link shows it. */
export interface Agency {
  readonly name: string;
  /** Relative to the platform's address. */
  readonly logo: string | null;
}

const ownPicture = '/assets/link-preview.png';

/** The preview of every page of the dashboard. */
export const previewAt = (origin: string, language: Language): PagePreview => ({
  ...texts[language].preview,
  picture: origin + ownPicture,
});

export function buildPreviewOf(origin: string, language: Language, { name, logo }: Agency): PagePreview {
  const { title, description } = texts[language].buildPreview;
  return { title: title({ agency: name }), description: description({ agency: name }), picture: origin + (logo ?? ownPicture) };
}

/** The title and the tags right after it, which are those of an earlier preview. */
const own = /<title>[^<]*<\/title>(?:<meta [^>]*>)*/;

/** The page with this preview in place of the one that it has (Open Graph protocol, https://ogp.me). */
export function withPreview(page: string, { title, description, picture }: PagePreview): string {
  const graph = { type: 'website', site_name: 'Webkiln', title, description, image: picture };
  const tags = [
    `<title>${escapeHtml(title)}</title>`,
    `<meta name="description" content="${escapeHtml(description)}">`,
    ...Object.entries(graph).map(([name, content]) => `<meta property="og:${name}" content="${escapeHtml(content)}">`),
  ].join('');
  return page.replace(own, () => tags);
}

/** The page with the warning about plain http, if visitors of this origin need it. */
export const withWarningLink = (origin: string, page: string): string =>
  isReadByOthers(origin) ? page.replace('</head>', `<link rel="stylesheet" href="${warningStylePath}"></head>`) : page;
