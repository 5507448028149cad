import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { Busboy } from '@fastify/busboy';
import { FormRefusal, type RefusalReason } from '../../forms/intake/form-refusal.ts';

type Entry = readonly [name: string, value: string];

/** More than an accepted form can have, controls included, and few enough to reject a larger body cheaply. */
const maxPairs = 200;
const limits = { parts: maxPairs, headerPairs: 20, headerSize: 16 * 1024, fieldNameSize: 1000 };
const chunkBytes = 16 * 1024;

/** Parses a body by its media type: the two that browsers use for forms, or JSON. Throws a `FormRefusal`. */
export async function formEntries(body: Buffer, contentType: string): Promise<Iterable<Entry>> {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === 'application/json') return jsonEntries(body);
  if (mediaType === 'application/x-www-form-urlencoded') return encodedEntries(body, contentType);
  if (mediaType !== 'multipart/form-data') throw new FormRefusal('unsupported_type');
  try {
    return await partEntries(inUtf8(body, contentType), contentType);
  } catch (error) {
    throw error instanceof FormRefusal ? error : new FormRefusal('malformed', { cause: error });
  }
}

function encodedEntries(body: Buffer, contentType: string): Entry[] {
  const text = body.toString('latin1');
  let pairs = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    if (++pairs > maxPairs) throw new FormRefusal('too_many_fields');
  }
  const entries = text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const end = pair.indexOf('=');
      return [bytesOf(end === -1 ? pair : pair.slice(0, end)), bytesOf(end === -1 ? '' : pair.slice(end + 1))] as const;
    });
  const named = entries.find(([name]) => name.toString('latin1') === '_charset_')?.[1].toString('latin1');
  const decode = decoderFor(Buffer.concat(entries.flat()), named ?? charsetIn(contentType));
  return entries.map(([name, value]) => [decode(name), decode(value)]);
}

/** The bytes of a percent-encoded text, a character of `text` for each of its bytes. */
const bytesOf = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll('+', ' ').replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );

const charsetIn = (contentType: string) => /charset="?([^";]*)/i.exec(contentType)?.[1];
const namedInPart = /name="_charset_"\r?\n\r?\n([\w.:-]{1,40})\r?\n/;

/** A body of parts in UTF-8. Names and values alike are in the encoding of the page. */
function inUtf8(body: Buffer, contentType: string): Buffer {
  const named = namedInPart.exec(body.toString('latin1'))?.[1];
  return isUtf8(body) ? body : Buffer.from(decoderFor(body, named ?? charsetIn(contentType))(body));
}

/**
 * Decodes the texts of a form: as UTF-8 if all of it is, else by the encoding that the form names, in a field
 * `_charset_` or with its type, else as Western pages without a declared encoding are. What that encoding lacks,
 * browsers send as `&#8364;`.
 */
function decoderFor(all: Buffer, named: string | undefined): (bytes: Buffer) => string {
  if (isUtf8(all)) return (bytes) => bytes.toString();
  const decoder = knownDecoder(named);
  return (bytes) => decoder.decode(bytes).replaceAll(/&#(\d{2,7});/g, (written, code: string) => characterOf(Number(code)) ?? written);
}

function knownDecoder(label = ''): { decode(bytes: Buffer): string } {
  try {
    const decoder = new TextDecoder(label);
    // The bytes are not that, whatever the form says.
    if (decoder.encoding !== 'utf-8') return decoder;
  } catch {
    // No encoding has this name.
  }
  return new TextDecoder('windows-1252');
}

const characterOf = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

async function partEntries(body: Buffer, contentType: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let refusal: RefusalReason | undefined;
  const refuse = (reason: RefusalReason) => {
    refusal ??= reason;
  };
  const parser = new Busboy({ headers: { 'content-type': contentType }, limits });
  parser.on('field', (name, value, isNameTruncated) => {
    if (isNameTruncated) refuse('field_too_long');
    entries.push([name ?? '', value]);
  });
  parser.on('file', (_name, content, filename) => {
    // Browsers send an empty part for a file input without a file.
    if (filename) refuse('file');
    content.on('data', () => refuse('file')).on('error', () => refuse('malformed'));
  });
  parser.on('partsLimit', () => refuse('too_many_fields'));
  const finished = once(parser, 'finish');
  // The error is thrown by `await finished` below. Without these handlers, later errors would be unhandled.
  finished.catch(() => undefined);
  parser.on('error', () => undefined);
  for (let at = 0; at < body.byteLength && refusal === undefined; at += chunkBytes) parser.write(body.subarray(at, at + chunkBytes));
  if (refusal === undefined) {
    parser.end();
    await finished;
  }
  if (refusal !== undefined) throw new FormRefusal(refusal);
  return entries;
}

function jsonEntries(body: Buffer): Iterable<Entry> {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    throw new FormRefusal('malformed', { cause: error });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new FormRefusal('malformed');
  return jsonValues(content);
}

function* jsonValues(content: object): Generator<Entry> {
  for (const [name, value] of Object.entries(content))
    for (const each of Array.isArray(value) ? value : [value]) yield [name, textOf(each)];
}

function textOf(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'object') throw new FormRefusal('malformed');
  return String(value);
}
