import { open, organizationKey, seal } from './seal.ts';

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
