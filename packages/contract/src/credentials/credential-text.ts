import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

declare const checked: unique symbol;

/** A recognizable secret: prefix, 43 base62 characters of 256 random bits, 6 base62 characters of CRC-32 over both. */
export type CredentialText<P extends string> = `${P}${string}` & { readonly [checked]: true };

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomBytes = 32;
const randomLength = 43;
const checksumLength = 6;
const shownLength = 5;

/** Texts of one kind of credential. */
export interface CredentialTexts<P extends string> {
  /** The text of 32 random bytes. */
  readonly format: (random: Uint8Array) => CredentialText<P>;
  /** The text if its form and checksum are right, else undefined: finds typing errors without a look-up. */
  readonly parse: (text: string) => CredentialText<P> | undefined;
  /** Its SHA-256, base64url: services pass this on, never the text. */
  readonly digest: (text: CredentialText<P>) => string;
  /** The part that users see after its creation: the prefix and 5 characters. */
  readonly shown: (text: CredentialText<P>) => string;
}

export function credentialTexts<const P extends string>(prefix: P): CredentialTexts<P> {
  const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);
  return {
    format(random) {
      if (random.length !== randomBytes) throw new RangeError(`a credential takes ${randomBytes} random bytes`);
      const body = prefix + base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), randomLength);
      return (body + checksumOf(body)) as CredentialText<P>;
    },
    parse(text) {
      if (!form.test(text)) return undefined;
      return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength) ? (text as CredentialText<P>) : undefined;
    },
    digest: (text) => hash('sha256', text, 'base64url'),
    shown: (text) => text.slice(0, prefix.length + shownLength),
  };
}

const checksumOf = (body: string) => base62(BigInt(crc32(body)), checksumLength);

/** Big-endian, padded with the digit zero. */
function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, alphabet.charAt(0));
}

/** The text of an API key. */
export type ApiKey = CredentialText<'wk_'>;

export const apiKeyTexts = credentialTexts('wk_');
export const { format: formatApiKey, parse: parseApiKey, digest: apiKeyDigest } = apiKeyTexts;

/** The text of an embed token, with which the page of an agency's own user builds. */
export type EmbedToken = CredentialText<'embt_'>;

export const embedTokenTexts = credentialTexts('embt_');
export const { parse: parseEmbedToken, digest: embedTokenDigest } = embedTokenTexts;

/** The secret of an embed client. */
export const embedSecretTexts = credentialTexts('embs_');

/** The text of an OAuth access token. */
export type OauthToken = CredentialText<'wko_'>;

export const oauthTokenTexts = credentialTexts('wko_');
export const { parse: parseOauthToken, digest: oauthTokenDigest } = oauthTokenTexts;

/** An OAuth refresh token; only the authorization server reads it. */
export const refreshTokenTexts = credentialTexts('wkr_');
