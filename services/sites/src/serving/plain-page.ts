import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** A complete response of the platform itself, for requests that no file of a site can serve. */
export interface PlainPage {
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

const style = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;box-sizing:border-box;font:17px/1.6 system-ui,sans-serif;background:Canvas;color:CanvasText}
main{width:100%;max-width:30rem;overflow-wrap:anywhere}
h1{margin:0 0 .4em;font-size:1.6rem;line-height:1.25}
p{margin:0;opacity:.8}
p+p{margin-top:1em}
a{color:inherit}`;

const commonHeaders = [
  ...['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'`,
];

/** Builds an HTML page. `title` and `text` are HTML; `headers` alternates names and values. */
export function plainPage(status: number, title: string, text: string, headers: readonly string[] = []): PlainPage {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;
  const body = Buffer.from(html);
  return { status, headers: [...commonHeaders, ...headers, 'Content-Length', String(body.byteLength)], body };
}

export function sendPage(response: ServerResponse, { status, headers, body }: PlainPage): void {
  response.writeHead(status, [...headers]).end(body);
}

export const badRequest = plainPage(400, 'This address is not valid', 'Check it for typing errors, or go back to where it was linked.');
export const methodNotAllowed = plainPage(405, 'This page can only be read', 'It does not take what was sent to it.', [
  'Allow',
  'GET, HEAD',
]);
export const pageNotFound = plainPage(404, 'Page not found', 'There is no page at this address.');
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * Where abuse is reported, an https URL or a mail address, as a further sentence of a page. An address is shown: many
 * browsers have no program for mails.
 */
function reportNotice(contact: string | undefined): string {
  if (contact === undefined) return '';
  const [href, label] = contact.includes('://') ? [contact, 'the operator of this platform'] : [`mailto:${contact}`, contact];
  return `</p>\n<p>Was something wrong with a site here? Report it to <a href="${escaped(href)}" rel="noopener">${escaped(label)}</a>.`;
}

/** The page where no site is, and the one of a site that an operator took down, with where abuse is reported. */
export const absenceNotices = (contact?: string) => ({
  notFound: plainPage(404, 'There is no site here', `No website is published at this address.${reportNotice(contact)}`),
  // Not 451: that would claim a legal demand (RFC 7725). 410 makes search engines forget the page.
  takenDown: plainPage(410, 'This site was taken down', `The operator of this platform does not show it any more.${reportNotice(contact)}`),
});
export const { notFound: siteNotFound, takenDown: siteTakenDown } = absenceNotices();
export const siteSuspended = plainPage(503, 'This site is paused', 'It is switched off for now. Please come back later.', [
  'Retry-After',
  '3600',
]);
export const tooManyNames = plainPage(
  429,
  'One moment, please',
  'Too many addresses without a website were asked for from your network. Try again in a minute.',
  ['Retry-After', '60'],
);
export const unavailable = plainPage(503, 'One moment, please', 'This site cannot be reached right now. Try again in a few seconds.', [
  'Retry-After',
  '2',
]);

export const emptyDraft = plainPage(404, 'Nothing here yet', 'As soon as this project has its first page, it shows here.');
export const previewNotFound = plainPage(
  404,
  'This preview has ended',
  'A preview lasts for an hour, that of an earlier version for a week. Open it again from where you got it, and you get a new address.',
);
export const formsOffInPreview = plainPage(
  405,
  'This is a preview',
  'Forms work once the site is published; what was sent here was not kept.',
  ['Allow', 'GET, HEAD'],
);
