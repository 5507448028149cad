import { AppError } from '@webkiln/contract';

const mostValues = 20_000;
const [quote, backslash, comma, colon, bracket, brace] = [...'"\\,:[{'].map((character) => character.charCodeAt(0));

/**
 * Throws `validation_failed` for a large JSON body that is made of a great many small values: parsed, it would take a multiple of its
 * size. What is meant to be large is few values, most of them long texts. One pass over the bytes; broken JSON is left to the parser.
 */
export function assertFewValues(body: Buffer): void {
  let values = 0;
  let inText = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (inText) {
      if (byte === backslash) at++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === comma || byte === colon || byte === bracket || byte === brace) values++;
  }
  if (values > mostValues) throw new AppError('validation_failed', [{ path: '', message: 'The body has too many values' }]);
}
