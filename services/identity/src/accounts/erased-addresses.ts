import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { organizationKey } from '@webkiln/sealing';
import { defineGlobalModel, type Session, unscoped, where } from '@webkiln/store';
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
  readonly #key: KeyObject;

  constructor({ digestMaster }: Pick<AuthKeys, 'digestMaster'>) {
    this.#key = createSecretKey(organizationKey(digestMaster, 'addresses of deleted accounts'));
  }

  /** `address` is in lower case. */
  async add(address: string, at: Date): Promise<void> {
    const state = { at, expires_at: new Date(at.getTime() + keptMs) };
    await unscoped(ErasedAddressModel).updateOne({ _id: this.#idOf(address) }, { $set: state }, { upsert: true });
  }

  /** When the accounts of those of the addresses that had one were deleted: a later act may be about a new one. */
  async among(addresses: readonly string[], session?: Session): Promise<ReadonlyMap<string, Date>> {
    if (addresses.length === 0) return new Map();
    const ids = new Map(addresses.map((address) => [this.#idOf(address), address]));
    const erased = await unscoped(ErasedAddressModel, session).find({ _id: where({ $in: [...ids.keys()] }) });
    return new Map(erased.map(({ _id, at }) => [ids.get(_id) ?? '', at]));
  }

  #idOf(address: string): string {
    return createHmac('sha256', this.#key).update(address).digest('base64url');
  }
}
