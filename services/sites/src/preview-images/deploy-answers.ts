import { requestTarget } from '@webkiln/http';
import type { Contents } from '../contents/contents.ts';
import { findPage } from '../resolutions/find-page.ts';
import type { PublishedFile, Site } from '../resolutions/site.ts';
import type { Answer, Scene } from './capture-screenshot.ts';

const maxFiles = 500;
const maxFileBytes = 8 * 1024 * 1024;
const maxBytes = 32 * 1024 * 1024;

/** Answers a page's requests with the files of its own deploy, as visitors get them, within the limits. */
export function answersOf(site: Site, origin: string, contents: Pick<Contents, 'loadAll'>): Scene['answer'] {
  let filesLeft = maxFiles;
  let bytesLeft = maxBytes;

  const send = async (file: PublishedFile): Promise<Answer> => {
    const representation = file.representation('');
    filesLeft -= 1;
    bytesLeft -= representation.maxBytes;
    if (filesLeft < 0 || bytesLeft < 0 || representation.maxBytes > maxFileBytes) return null;
    const body = await contents.loadAll(representation);
    return { status: 200, headers: [...representation.headers, ...representation.contentHeaders], body };
  };

  return async (method, url) => {
    if (method !== 'GET' || !url.startsWith(`${origin}/`)) return null;
    const target = requestTarget(url.slice(origin.length));
    const page = target && findPage(site, target.path);
    if (page === undefined) return null;
    if ('location' in page) return { status: 301, headers: ['Location', `${page.location}${target?.query}`], body: nothing };
    return send(page.file);
  };
}

const nothing = Buffer.alloc(0);
