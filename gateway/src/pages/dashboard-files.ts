import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

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
    files.set(`/${name.split(path.sep).join('/')}`, {
      type,
      etag: `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
      encodings: [
        { encoding: 'br', body: read('.br') },
        { encoding: 'gzip', body: read('.gz') },
        { encoding: 'identity', body: plain },
      ],
    });
  }
  return files;
}

const PreloadManifest = z.object({ home: z.array(z.string()), other: z.array(z.string()) });

/**
 * `Link: rel=modulepreload` headers (RFC 8288) for signed-in users: the browser fetches scripts while it still parses
 * the page.
 * Read from `module-preloads.json`, which the dashboard's build writes: the scripts of the home page, and those of
 * every other page.
 */
export function readPreloadLinks(folder: string): { readonly home: string; readonly other: string } {
  const { home, other } = PreloadManifest.parse(JSON.parse(readFileSync(path.join(folder, 'module-preloads.json'), 'utf8')));
  return { home: preloadLinks(home), other: preloadLinks(other) };
}

const preloadLinks = (files: readonly string[]) => files.map((file) => `</${file}>; rel=modulepreload`).join(', ');
