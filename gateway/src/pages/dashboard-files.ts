import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Language, languages } from '@webkiln/contract';
import * as z from 'zod';
import { type PagePreview, previewAt, withPreview, withWarningLink } from './link-preview.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Compressed already. */
const pictures = new Set(['.png']);

/** A built file with its encodings, in order of preference. */
export interface DashboardFile {
  readonly type: string;
  /** Strong ETag of the content, with its quotes. */
  readonly etag: string;
  readonly encodings: readonly { readonly encoding: 'br' | 'gzip' | 'identity'; readonly body: Buffer }[];
}

/** Reads every file of a built dashboard (some hundred KB) by its URL path ("/assets/…"). */
export function readDashboard(folder: string): ReadonlyMap<string, DashboardFile> {
  const files = new Map<string, DashboardFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[path.extname(name)];
    if (type === undefined || !statSync(path.join(folder, name)).isFile()) continue;
    const read = (suffix: string) => readFileSync(path.join(folder, `${name}${suffix}`));
    const plain = read('');
    const encoded = pictures.has(path.extname(name)) ? undefined : { br: read('.br'), gzip: read('.gz') };
    files.set(`/${name.split(path.sep).join('/')}`, fileOf(type, plain, encoded));
  }
  return files;
}

function fileOf(type: string, plain: Buffer, encoded?: { readonly br: Buffer; readonly gzip: Buffer }): DashboardFile {
  const encodings = encoded === undefined ? [] : (['br', 'gzip'] as const).map((encoding) => ({ encoding, body: encoded[encoding] }));
  return {
    type,
    etag: `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
    encodings: [...encodings, { encoding: 'identity', body: plain }],
  };
}

function edited({ type, encodings }: DashboardFile, edit: (page: string) => string): DashboardFile {
  const content = Buffer.from(edit(encodings.at(-1)?.body.toString() ?? ''));
  return fileOf(type, content, { br: brotliCompressSync(content), gzip: gzipSync(content) });
}

/** A page with another preview: what programs show of a link to it. */
export const pageWith = (page: DashboardFile, preview: PagePreview): DashboardFile => edited(page, (text) => withPreview(text, preview));

const Preloads = z.object({ project: z.array(z.string()), other: z.array(z.string()) });
const PreloadManifest = z.record(z.enum(languages), Preloads);

/** The pages in one language, whose texts are in their scripts. */
export interface LanguagePages {
  readonly page: DashboardFile;
  readonly builder: DashboardFile;
  /**
   * `Link: rel=modulepreload` headers (RFC 8288) for signed-in users, what is wanted first in front: the browser
   * fetches scripts while it still parses the page. For a project's page, and every other page.
   */
  readonly preloadLinks: { readonly project: string; readonly other: string };
}

/**
 * Reads `module-preloads.json`, which the dashboard's build writes, and finds the pages of each language, with what
 * links to them show.
 */
export function readPages(folder: string, files: ReadonlyMap<string, DashboardFile>, origin: string): Record<Language, LanguagePages> {
  const manifest = PreloadManifest.parse(JSON.parse(readFileSync(path.join(folder, 'module-preloads.json'), 'utf8')));
  const pagesIn = (language: Language): LanguagePages => {
    const [page, builder] = [files.get(`/${language}/index.html`), files.get(`/${language}/builder.html`)];
    if (page === undefined || builder === undefined) throw new Error(`${folder} has no page in ${language}: build the dashboard into it`);
    const { project, other } = manifest[language];
    return {
      page: edited(page, (text) => withWarningLink(origin, withPreview(text, previewAt(origin, language)))),
      builder: edited(builder, (text) => withWarningLink(origin, text)),
      preloadLinks: { project: preloadLinks(project), other: preloadLinks(other) },
    };
  };
  return Object.fromEntries(languages.map((language) => [language, pagesIn(language)])) as Record<Language, LanguagePages>;
}

const preloadLinks = (files: readonly string[]) => files.map((file) => `</${file}>; rel=modulepreload`).join(', ');
