import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A built file in the forms that it can be sent in, from the most wanted to the plain one. */
export interface DashboardFile {
  readonly type: string;
  /** Of the content, quotes included. */
  readonly etag: string;
  readonly forms: readonly { readonly encoding: 'br' | 'gzip' | 'identity'; readonly body: Buffer }[];
}

/** Every file of a built dashboard by its URL path ("/assets/…"), read once: they are some hundred KB. */
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
      forms: [
        { encoding: 'br', body: read('.br') },
        { encoding: 'gzip', body: read('.gz') },
        { encoding: 'identity', body: plain },
      ],
    });
  }
  return files;
}
