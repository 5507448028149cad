import { once } from 'node:events';
import { Busboy } from '@fastify/busboy';
import { FormRefusal, type RefusalReason } from '../forms/form-refusal.ts';

type Entry = readonly [name: string, value: string];

/** More than any form that is taken has, and few enough that it costs nothing to find that out. */
const piecesMost = 200;
const limits = { parts: piecesMost, headerPairs: 20, headerSize: 16 * 1024, fieldNameSize: 1000 };
const sliceBytes = 16 * 1024;

/** Names and values of a body by its media type: the two that browsers send forms in, or JSON. Throws a `FormRefusal`. */
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
  let pieces = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    if (++pieces > piecesMost) throw new FormRefusal('too_many_fields');
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
  parser.on('field', (name, value, isNameCut) => {
    if (isNameCut) refuse('field_too_long');
    entries.push([name ?? '', value]);
  });
  parser.on('file', (_name, content, filename) => {
    // Browsers send a field for a file that nobody chose.
    if (filename) refuse('file');
    content.on('data', () => refuse('file')).on('error', () => refuse('malformed'));
  });
  parser.on('partsLimit', () => refuse('too_many_fields'));
  const finished = once(parser, 'finish');
  // What goes wrong is thrown below, where the end is waited for; what else goes wrong after that is nobody's concern.
  finished.catch(() => undefined);
  parser.on('error', () => undefined);
  for (let at = 0; at < body.byteLength && refusal === undefined; at += sliceBytes) parser.write(body.subarray(at, at + sliceBytes));
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
  return valuesOf(content);
}

function* valuesOf(content: object): Generator<Entry> {
  for (const [name, value] of Object.entries(content)) for (const each of Array.isArray(value) ? value : [value]) yield [name, plain(each)];
}

function plain(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'object') throw new FormRefusal('malformed');
  return String(value);
}
