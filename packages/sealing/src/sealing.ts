import {
  type BinaryToTextEncoding,
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { operations } from '@webkiln/contract';
import { type Interceptor, internalMethodsWithSecret } from '@webkiln/messages';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * The key of an organization for one purpose ("outcomes of <org_id>"), derived from a master key of at least 32 bytes
 * (HKDF-SHA256, RFC 5869).
 */
export const organizationKey = (master: Uint8Array | string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', master, '', purpose, keyBytes));

/** The keys of one purpose under each of several master keys, in their order. */
export const organizationKeys = <T extends Uint8Array | string>([first, ...older]: readonly [T, ...T[]], purpose: string): Keys => [
  organizationKey(first, purpose),
  ...older.map((master) => organizationKey(master, purpose)),
];

type Keys = readonly [Uint8Array, ...Uint8Array[]];

/** AES-256-GCM (NIST SP 800-38D) with a random nonce: `nonce, tag, ciphertext`. */
export function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce);
  const sealed = Buffer.concat([sealing.update(bytes), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]);
}

/** The plain text. Throws if another key sealed it or it was changed. */
export function open(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()]);
}

/** The plain text, and whether the first key sealed it. Throws if none of the keys did, or it was changed. */
export function openUnder([key, ...older]: Keys, sealed: Uint8Array): { readonly bytes: Uint8Array; readonly isCurrent: boolean } {
  try {
    return { bytes: open(key, sealed), isCurrent: true };
  } catch (error) {
    const [next, ...others] = older;
    if (next === undefined) throw error;
    return { bytes: openUnder([next, ...others], sealed).bytes, isCurrent: false };
  }
}

/**
 * Master keys by id, newest first: the first one seals, each opens the texts that it sealed. A sealed text names its
 * key, `<key id>.<base64url>`, so that keys can be rotated while old texts exist.
 */
export class Keyring {
  readonly #masters: ReadonlyMap<string, Uint8Array>;
  readonly #newest: string;

  /** Throws without a key. Ids are letters, digits, `_` and `-`. */
  constructor(masters: ReadonlyMap<string, Uint8Array>) {
    const [newest] = masters.keys();
    if (newest === undefined) throw new RangeError('a keyring needs a key');
    this.#masters = masters;
    this.#newest = newest;
  }

  /** True if there are keys that only open. */
  get hasOlder(): boolean {
    return this.#masters.size > 1;
  }

  /** `purpose` names the organization and the use of the text; opening requires the same one. */
  seal(purpose: string, text: Uint8Array | string): string {
    const sealed = seal(this.#keyFor(this.#newest, purpose), Buffer.from(text));
    return `${this.#newest}.${Buffer.from(sealed).toString('base64url')}`;
  }

  /** Throws if the key is no longer on the ring, the purpose differs or the text was changed. */
  open(purpose: string, sealed: string): Uint8Array {
    const [id = '', body = ''] = sealed.split('.');
    return open(this.#keyFor(id, purpose), Buffer.from(body, 'base64url'));
  }

  /** True if the newest key sealed it. Seal all other texts again before you remove their key. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.#newest}.`);
  }

  #keyFor(id: string, purpose: string): Uint8Array {
    const master = this.#masters.get(id);
    if (master === undefined) throw new Error(`the key ${id} that sealed a text is not configured any more`);
    return organizationKey(master, purpose);
  }
}

/** Encrypts the stored replies of one organization. */
export interface OutcomeSealer {
  seal(orgId: string, bytes: Uint8Array): Uint8Array;
  open(orgId: string, sealed: Uint8Array): Uint8Array;
}

const methodsWithSecret: ReadonlySet<string> = new Set([
  ...Object.values(operations).flatMap(({ rpc, showsSecret }) => (showsSecret ? [rpc] : [])),
  ...internalMethodsWithSecret,
]);

/** Wraps an interceptor that stores replies, so that it only ever sees the encrypted form of a reply with a secret. */
export const sealedOutcomes =
  (inner: Interceptor, sealer: OutcomeSealer): Interceptor =>
  async (method, caller, run) => {
    if (!methodsWithSecret.has(method)) return inner(method, caller, run);
    const { org_id } = caller.principal;
    const outcome = await inner(method, caller, async () => sealer.seal(org_id, await run()));
    return outcome instanceof Uint8Array ? sealer.open(org_id, outcome) : { ...outcome, bytes: sealer.open(org_id, outcome.bytes) };
  };

type Secret = string | Uint8Array;

/** HMAC-SHA256 (RFC 2104) under a list of secrets: the first one signs, each verifies what was signed with it. */
export interface Signer {
  sign(text: string): string;
  isSigned(text: string, signature: string): boolean;
}

/** Signatures are base64url unless `encoding` says otherwise. */
export function signer(secrets: readonly [Secret, ...Secret[]], encoding: BinaryToTextEncoding = 'base64url'): Signer {
  const under = (secret: Secret, text: string) => createHmac('sha256', secret).update(text).digest(encoding);
  return {
    sign: (text) => under(secrets[0], text),
    isSigned: (text, signature) => secrets.some((secret) => isSame(signature, under(secret, text))),
  };
}

/** The parts of `<payload>.<signature>`; the payload is empty if there is no dot. */
export function splitSigned(token: string): [payload: string, signature: string] {
  const at = token.lastIndexOf('.');
  return [token.slice(0, Math.max(at, 0)), token.slice(at + 1)];
}

function isSame(given: string, genuine: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(genuine)];
  return a.length === b.length && timingSafeEqual(a, b);
}
