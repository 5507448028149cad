import { createHmac } from 'node:crypto';
import { organizationKey } from '@webkiln/sealing';
import { defineGlobalModel, type Session, unscoped } from '@webkiln/store';
import type { AuthKeys } from '../sign-in/auth-keys.ts';

/** An event waits for its consumers for at most seven days. */
const keptMs = 8 * 24 * 3600_000;

// Global: an account belongs to no organization. `_id` is a keyed digest of the address.
const ErasedAddressModel = defineGlobalModel<{ at: Date; expires_at: Date }>(
  'erased_addresses',
  { at: { type: Date, required: true }, expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Addresses of deleted accounts, for events on their way: only keyed digests of them are stored. */
export class ErasedAddresses {
  readonly #key: Uint8Array;

  constructor({ digestMaster }: Pick<AuthKeys, 'digestMaster'>) {
    this.#key = organizationKey(digestMaster, 'addresses of deleted accounts');
  }

  /** `address` is in lower case. */
  async add(address: string, at: Date): Promise<void> {
    const state = { at, expires_at: new Date(at.getTime() + keptMs) };
    await unscoped(ErasedAddressModel).updateOne({ _id: this.#idOf(address) }, { $set: state }, { upsert: true });
  }

  /** True if the address's account was deleted after `time`: a later act may be about a new one. */
  async has(address: string, time: Date, session?: Session): Promise<boolean> {
    const erased = await unscoped(ErasedAddressModel, session).findOne({ _id: this.#idOf(address) });
    return erased !== null && time <= erased.at;
  }

  #idOf(address: string): string {
    return createHmac('sha256', this.#key).update(address).digest('base64url');
  }
}
