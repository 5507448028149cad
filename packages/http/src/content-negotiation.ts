import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** How bytes are written: as they are, or compressed beforehand. */
export type Encoding = '' | 'br' | 'gzip';

/** Smallest first: what wins where the caller likes several equally. */
const preferred = ['br', 'gzip', 'identity'];

/** Browsers send a handful of different headers; parsing one costs more than all else a request does. */
const chosen = new LRUCache<string, Encoding>({ max: 500 });
const rememberedLength = 100;

/** The form to send to a caller with this Accept-Encoding header (RFC 9110 §12.5.3). Who refuses every form there is gets the file as it is. */
export function acceptedEncoding(header: string | undefined, available: readonly Encoding[]): Encoding {
  if (header === undefined || available.length === 0) return '';
  const key = `${available} ${header}`;
  const known = chosen.get(key);
  if (known !== undefined) return known;
  const [best] = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...available, 'identity'], { preferred });
  const encoding = best === 'br' || best === 'gzip' ? best : '';
  if (header.length <= rememberedLength) chosen.set(key, encoding);
  return encoding;
}
