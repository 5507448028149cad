import { requestTarget } from '@webkiln/runtime';
import type { Contents } from '../contents/contents.ts';
import { findPage } from '../resolutions/find-page.ts';
import type { PublishedFile, Site } from '../resolutions/site.ts';
import type { Answer, Scene } from './photograph.ts';

const filesMost = 500;
const fileBytesMost = 8 * 1024 * 1024;
const bytesMost = 32 * 1024 * 1024;

/** Answers a page's requests with the files of its own deploy, as visitors get them, and with nothing else: so many, and so large. */
export function answersOf(site: Site, origin: string, contents: Pick<Contents, 'load'>): Scene['answer'] {
  let filesLeft = filesMost;
  let bytesLeft = bytesMost;

  const send = async (file: PublishedFile): Promise<Answer> => {
    const representation = file.as('');
    filesLeft -= 1;
    bytesLeft -= representation.bytesMost;
    if (filesLeft < 0 || bytesLeft < 0 || representation.bytesMost > fileBytesMost) return null;
    const body = await contents.load(representation);
    return { status: 200, headers: [...representation.metadata, ...representation.ofBytes], body };
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
