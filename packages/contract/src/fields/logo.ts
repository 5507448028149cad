import * as z from 'zod';
import { Bytes, wire } from '../wire/wire.ts';
import { base64Picture } from './patterns.ts';

export const maxLogoBytes = 256 * 1024;
const maxLogoCharacters = Math.ceil(maxLogoBytes / 3) * 4;
const base64Form = /^[A-Za-z0-9+/]+={0,2}$/;
const kinds = 'must be a PNG, JPEG or WebP picture';

/**
 * The media type of a picture by its first bytes; undefined for anything but PNG, JPEG and WebP. SVG is not accepted,
 * because it may contain scripts.
 */
export function pictureType(bytes: Uint8Array): 'image/png' | 'image/jpeg' | 'image/webp' | undefined {
  const begin = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (begin.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begin.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return /^RIFF.{4}WEBP$/s.test(begin) ? 'image/webp' : undefined;
}

/** Decodes a picture from base64 (RFC 4648 §4). */
export const Logo = z
  .string({ error: 'must be a string' })
  .transform((given, { addIssue }): Buffer => {
    const bytes = given.length % 4 === 0 && base64Form.test(given) ? Buffer.from(given, 'base64') : undefined;
    if (bytes === undefined) addIssue({ code: 'custom', message: 'must be valid base64' });
    else if (bytes.length > maxLogoBytes) addIssue({ code: 'custom', message: 'must have at most 256 KB' });
    else if (pictureType(bytes) === undefined) addIssue({ code: 'custom', message: kinds });
    return bytes ?? Buffer.alloc(0);
  })
  .meta({
    override: {
      type: 'string',
      contentEncoding: 'base64',
      maxLength: maxLogoCharacters,
      pattern: base64Picture,
      description: 'A PNG, JPEG or WebP picture of at most 256 KB, as base64',
    },
  })
  .register(wire, { as: Bytes });
