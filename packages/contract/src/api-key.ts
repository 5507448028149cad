import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

declare const checked: unique symbol;

/** The text of an API key: `wk_`, 43 base62 characters of 256 random bits, 6 base62 characters of CRC-32 over all that stands before. */
export type ApiKey = string & { readonly [checked]: true };

const prefix = 'wk_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomBytes = 32;
const randomLength = 43;
const checksumLength = 6;
const shownLength = 8;
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** The key of 32 random bytes. */
export function formatApiKey(random: Uint8Array): ApiKey {
  if (random.length !== randomBytes) throw new RangeError(`an API key takes ${randomBytes} random bytes`);
  const body = prefix + base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), randomLength);
  return (body + checksumOf(body)) as ApiKey;
}

/** The key when its form and checksum are right, so that a typing error is told without a look-up; else undefined. */
export function parseApiKey(text: string): ApiKey | undefined {
  if (!form.test(text)) return undefined;
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength) ? (text as ApiKey) : undefined;
}

/** What stands for a key between our services, where the key itself never travels: its SHA-256, base64url. */
export const apiKeyDigest = (key: ApiKey): string => hash('sha256', key, 'base64url');

/** What is shown of a key after its creation: its first 8 characters. */
export const apiKeyPrefix = (key: ApiKey): string => key.slice(0, shownLength);

const checksumOf = (body: string) => base62(BigInt(crc32(body)), checksumLength);

/** Big-endian, padded with the digit zero. */
function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, alphabet.charAt(0));
}
