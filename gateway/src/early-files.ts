import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

const Early = z.object({ home: z.array(z.string()), elsewhere: z.array(z.string()) });

/** `Link` headers (RFC 8288) by which a browser asks for scripts while it is still reading the page. */
interface EarlyFiles {
  readonly home: string;
  readonly elsewhere: string;
}

/** Those of a built dashboard, for somebody who is signed in: what is shown then is no part of the page that everybody gets. */
export function readEarlyFiles(folder: string): EarlyFiles {
  const { home, elsewhere } = Early.parse(JSON.parse(readFileSync(path.join(folder, 'early.json'), 'utf8')));
  return { home: links(home), elsewhere: links(elsewhere) };
}

const links = (files: readonly string[]) => files.map((file) => `</${file}>; rel=modulepreload`).join(', ');
