import type { ServerResponse } from 'node:http';
import { AppError, knownLanguage, type Language, languages, textColorOn } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { serviceCaller } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { languageOf } from '@webkiln/texts';
import { securityHeaders } from '../security-headers.ts';
import { texts } from '../texts.ts';

/** An organization's name, logo and color, as its clients see them. */
export type Brand = NonNullable<IncomingReply<'identity.GetBrand'>['brand']>;

const timeoutMs = 5_000;

/** The brand and the language of an organization. Throws `organization_not_found`. */
export async function brandingOf(org_id: string): Promise<{ readonly brand: Brand; readonly language: Language }> {
  const { brand, language } = await call('identity.GetBrand', {}, serviceCaller('gateway', org_id, timeoutMs));
  if (!brand) throw new AppError('organization_not_found');
  return { brand, language: knownLanguage(language) };
}

/** Throws `organization_not_found`. */
export const brandOf = async (org_id: string): Promise<Brand> => (await brandingOf(org_id)).brand;

const policy = securityHeaders({ 'style-src': ["'self'"], 'img-src': ["'self'", 'data:'], 'form-action': ["'self'"] }, 'same-origin');

/** Headers of the gateway's own pages: no scripts, and forms submit to this origin only. */
const pageHeaders = [...policy, 'Cache-Control', 'no-store', 'Content-Type', 'text/html; charset=utf-8'];

/** Headers of the pages' style sheets. */
export const styleHeaders = [...policy, 'Cache-Control', 'public, max-age=3600', 'Content-Type', 'text/css; charset=utf-8'];

const logo = ({ name, logo_url }: Brand) =>
  `<p class="brand">${logo_url === undefined ? escapeHtml(name) : `<img src="${escapeHtml(logo_url)}" alt="${escapeHtml(name)}">`}</p>\n`;

/** Link to the style sheet of the organization's color: a separate file, because the policy forbids inline styles. */
const accent = ({ accent_color }: Brand) =>
  accent_color === undefined ? '' : `<link rel="stylesheet" href="/accents/${escapeHtml(accent_color.slice(1))}.css">\n`;

/** A page around `main`, which is HTML; with a brand it carries the organization's name, logo and color, with
 * `style` another style sheet. */
export const page = (language: Language, title: string, main: string, brand?: Brand, style?: string) => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(brand === undefined ? title : `${title} · ${brand.name}`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/page.css">
${style === undefined ? '' : `<link rel="stylesheet" href="${style}">\n`}${brand === undefined ? '' : accent(brand)}</head>
<body>
<main>
${brand === undefined ? '' : logo(brand)}${main}
</main>
</body>
</html>
`;

export interface RenderedPage {
  readonly status: number;
  readonly html: string;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
}

/** Sends the page, or one that shows the error. */
export async function sendPage(response: ServerResponse, rendered: Promise<RenderedPage>): Promise<void> {
  try {
    send(response, await rendered);
  } catch (error) {
    sendErrorPage(response, error);
  }
}

function send(response: ServerResponse, { status, html, headers = [] }: RenderedPage): void {
  const retry = status === 429 || status === 503 ? ['Retry-After', '60'] : [];
  response.writeHead(status, [...pageHeaders, ...headers, ...retry, 'Content-Length', String(Buffer.byteLength(html))]);
  response.end(html);
}

/** Shows a sentence about the error and never its cause. */
export function sendErrorPage(response: ServerResponse, error: unknown): void {
  if (!(error instanceof AppError)) logger.error({ err: error }, 'page failed; showing an error page');
  const { code, status, message } = error instanceof AppError ? error : new AppError('internal');
  const language = languageOf(response.req.headers);
  const t = texts[language].errors;
  const title = status === 404 ? t.gone : t.failed;
  const sentences: Readonly<Record<string, string | undefined>> = t;
  const main = `<h1>${title}</h1>\n<p>${escapeHtml(sentences[code] ?? message)}</p>`;
  send(response, { status, html: page(language, title, main) });
}

/** The warning on top of every page of a platform that is reached over plain http. */
export const warningStyle = languages
  .map((language) => `:lang(${language}) > body::before { content: ${JSON.stringify(texts[language].plainHttp)}; }\n`)
  .concat(
    'body::before { display: block; grid-row: 1; padding: 10px 16px; font: 600 14px/1.4 system-ui, sans-serif; color: #fff; background: #a3210f; }\n',
  )
  .join('');

/** Style sheet of an organization's color (`#1a2b3c`), with a readable text color on buttons. */
export const accentStyle = (color: string) =>
  `button, .button { background: ${color}; color: ${textColorOn(color)}; }\n:is(input, button, a):focus-visible { outline-color: var(--ink); }\n`;

export const pageStyle = `:root { --ground: #f6f4f0; --card: #fff; --ink: #1d1b18; --soft: #6b655c; --line: #e3ded5; --accent: #b4431f; --on-accent: #fff; --bad: #a3210f; }
@media (prefers-color-scheme: dark) { :root { --ground: #171513; --card: #211e1b; --ink: #f3efe8; --soft: #aaa296; --line: #38332d; --accent: #f08a5d; --on-accent: #20130c; --bad: #ff9b86; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { width: 100%; max-width: 440px; padding: 36px 32px; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
h1 { margin: 0 0 8px; font-size: 1.55rem; line-height: 1.25; letter-spacing: -0.01em; }
p { margin: 0 0 16px; color: var(--soft); }
strong { color: var(--ink); overflow-wrap: anywhere; }
label { display: block; margin: 24px 0 6px; font-weight: 600; }
input { width: 100%; padding: 11px 12px; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; }
button, .button { display: block; width: 100%; margin-top: 20px; padding: 12px; font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 8px; cursor: pointer; }
button.plain { color: var(--ink); background: none; border: 1px solid var(--line); }
:is(input, button, a):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
a:not(.button) { color: var(--accent); }
ul { margin: 0; padding: 0; list-style: none; }
li { padding: 12px 0; border-top: 1px solid var(--line); }
code { font-size: 0.9em; overflow-wrap: anywhere; }
.brand { margin: 0 0 24px; font-weight: 650; color: var(--ink); overflow-wrap: anywhere; }
.brand img { display: block; max-width: 200px; max-height: 56px; }
.hint { margin: 6px 0 0; font-size: 0.9rem; }
.wrong { margin: 16px 0 0; color: var(--bad); font-weight: 600; }
`;
