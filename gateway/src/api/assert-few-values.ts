import { AppError } from '@webkiln/contract';

const maxValues = 20_000;
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
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma || byte === colon || byte === bracket || byte === brace) values++;
  }
  if (values > maxValues) throw new AppError('validation_failed', [{ path: '', message: 'The body has too many values' }]);
}
