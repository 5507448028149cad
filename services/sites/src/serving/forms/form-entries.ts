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
  if (mediaType === 'application/x-www-form-urlencoded') return encodedEntries(body);
  if (mediaType !== 'multipart/form-data') throw new FormRefusal('unsupported_type');
  try {
    return await partEntries(body, contentType);
  } catch (error) {
    throw error instanceof FormRefusal ? error : new FormRefusal('malformed', { cause: error });
  }
}

function encodedEntries(body: Buffer): Iterable<Entry> {
  const text = body.toString();
  let pairs = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    if (++pairs > maxPairs) throw new FormRefusal('too_many_fields');
  }
  return new URLSearchParams(text);
}

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
    content = JSON.parse(body.toString());
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
