import { metadataDocuments } from '../metadata.ts';
import { scriptPath, stylePath } from '../pages/page.ts';
import { passkeyScript } from '../pages/passkey-script.ts';
import { style } from '../pages/style.ts';

interface Asset {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Pages of other origins may read what clients ask for. */
export const openToAll = { 'Access-Control-Allow-Origin': '*' };

const asset = (type: string, text: string, more = {}): Asset => ({
  headers: {
    ...{ 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' },
    ...more,
  },
  text,
});

/** By their path, what is the same for everybody: metadata, and the files of the pages. */
export const assets = (origin: string): ReadonlyMap<string, Asset> =>
  new Map([
    ...[...metadataDocuments(origin)].map(([path, text]) => [path, asset('application/json', text, openToAll)] as const),
    [stylePath, asset('text/css', style)],
    [scriptPath, asset('text/javascript', passkeyScript)],
  ]);
