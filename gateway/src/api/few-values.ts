import { AppError } from '@webkiln/contract';

const maxValues = 20_000;
/** So often in a long string its end is searched for natively: much faster over far, and slower over near. */
const bytesPerSearch = 256;
const [quote, backslash, comma, colon, bracket, brace] = [...'"\\,:[{'].map((character) => character.charCodeAt(0));

/**
 * Throws `validation_failed` for a large JSON body with more than 20,000 keys, elements and containers.
 * Parsing many small values takes a multiple of the body's bytes in memory; legitimate large bodies are a few long
 * strings.
 * One pass over the bytes. Malformed JSON is left to the parser.
 */
export function assertFewValues(body: Buffer): void {
  let values = 0;
  let inString = false;
  let searchAt = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (inString) {
      if (byte === quote) inString = false;
      else if (byte === backslash) at++;
      else if (at >= searchAt) {
        at = beforeQuote(body, at);
        searchAt = at + bytesPerSearch;
      }
    } else if (byte === quote) {
      inString = true;
      searchAt = at + bytesPerSearch;
    } else if (byte === comma || byte === colon || byte === bracket || byte === brace) values++;
  }
  if (values > maxValues) throw new AppError('validation_failed', [{ path: '', message: 'The body has too many values' }]);
}

/** The position before the next quote, or that of the quote if it is escaped. `at` is in a string, and no backslash. */
function beforeQuote(body: Buffer, at: number): number {
  const next = body.indexOf(quote as number, at + 1);
  if (next === -1) return body.length;
  let first = next;
  while (body[first - 1] === backslash) first--;
  return (next - first) % 2 === 0 ? next - 1 : next;
}
