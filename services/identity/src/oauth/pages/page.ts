import type { ServerResponse } from 'node:http';
import type { Language } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import type { PagesTexts } from '../../../gen/texts.ts';
import { pageTexts } from '../../texts.ts';
import { redirectSource } from '../clients/redirect-uri.ts';

/** The dashboard's logo. */
const logo =
  '<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#b4431f"/><path d="M7 10.5 11.2 23 16 12.5 20.8 23 25 10.5" fill="none" stroke="#fff" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"/></svg>';

/** A page of the authorization server. Everything but `main` is text; `main` is HTML. */
export interface Page {
  readonly language: Language;
  readonly title: string;
  readonly text?: string;
  readonly main: string;
  readonly footer?: string;
  /** The path of our script that the page runs; it works without. */
  readonly script?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const stylePath = '/oauth/page.css';
export const passkeyScriptPath = '/oauth/passkey.js';
export const reachScriptPath = '/oauth/reach.js';

const document = ({ language, title, text, main, footer, script }: Page) => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Webkiln</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylePath}">${script === undefined ? '' : `\n<script src="${script}" defer></script>`}
</head>
<body>
<main>
<p class="brand">${logo} Webkiln</p>
<section class="card" aria-labelledby="title">
<header>
<h1 id="title">${escapeHtml(title)}</h1>
${text === undefined ? '' : `<p class="soft">${escapeHtml(text)}</p>`}
</header>
${main}
</section>
${footer === undefined ? '' : `<div class="footer">${footer}</div>`}
</main>
</body>
</html>
`;

/**
 * No scripts but a file of ours, no frames, and forms that submit to this origin alone. A browser checks the redirect
 * after a form as well, so the page of an authorization request names where its answer goes.
 */
const policyFor = ({ script }: Page, redirectUri: string | undefined) =>
  `default-src 'none'; ${script ? "script-src 'self'; connect-src 'self'; " : ''}style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'${
    redirectUri === undefined ? '' : ` ${redirectSource(redirectUri)}`
  }`;

/** `redirectUri` is the request's validated one. */
export function sendPage(response: ServerResponse, page: Page, redirectUri?: string): void {
  if (response.headersSent || response.destroyed) return;
  const body = document(page);
  response.writeHead(page.status ?? 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policyFor(page, redirectUri),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    ...(page.status === 503 && { 'Retry-After': '2' }),
    ...page.headers,
  });
  response.end(body);
}

/** A message above a form; empty without one. */
export const notice = (message: string | undefined) =>
  message === undefined ? '' : `<p class="notice" role="alert">${escapeHtml(message)}</p>`;

/** The page for a request that cannot continue. */
export function deadEnd(language: Language, reason: Exclude<keyof PagesTexts['deadEnd'], 'title' | 'back'>, status = 400): Page {
  const t = pageTexts[language].deadEnd;
  return { language, title: t.title, text: t[reason], main: `<p>${t.back}</p>`, status };
}
