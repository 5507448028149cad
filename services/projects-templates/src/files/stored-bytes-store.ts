import { KeyedMutex } from '@webkiln/runtime';
import { defineModel, inTransaction, type Session, scoped, type Tenant, where } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';

/** The bytes of an organization's chunks and longer lists of files; `_id` is the organization's. */
interface StoredBytes {
  _id: string;
  org_id: string;
  used: number;
  /** The part of `used` that clients who joined by a link have added; absent before the first one. */
  joined?: number;
}

const StoredBytesModel = defineModel<StoredBytes>(
  'stored_bytes',
  { used: { type: Number, required: true }, joined: Number },
  { exportedAs: null },
);

/** The owner of files that are stored. */
export interface FileOwner extends Tenant {
  /** Epoch milliseconds until which its caller waits; without them, however long. */
  readonly deadlineAt?: number;
  /** They are of a client who joined by a link: their bytes count on the share of such clients, too. */
  readonly isJoined?: boolean;
}

type TenantInTransaction = Tenant & { readonly session: Session };

/** Bytes of an organization, and those of them that are of clients who joined by a link. */
export interface Bytes {
  readonly used: number;
  readonly joined: number;
}

/** The organization's use of `stored_bytes`. */
export async function usedBytes(tenant: Tenant): Promise<Bytes> {
  const row = await scoped(StoredBytesModel, tenant).findOne({ _id: tenant.org_id }, { fields: ['used', 'joined'] });
  return { used: row?.used ?? 0, joined: row?.joined ?? 0 };
}

const unlimited: Bytes = { used: Number.POSITIVE_INFINITY, joined: Number.POSITIVE_INFINITY };

/**
 * Adds to the count, in the transaction that stores these bytes; negative numbers subtract what it deletes. False, with
 * nothing changed, if a count would exceed its limit.
 */
export async function addBytes(tenant: TenantInTransaction, bytes: Bytes, limits: Bytes = unlimited): Promise<boolean> {
  const { used, joined } = bytes;
  const rows = scoped(StoredBytesModel, tenant);
  const _id = tenant.org_id;
  // Also a count without the field has room: $not.
  const hasRoom = { used: where<number>({ $lte: limits.used - used }), joined: where<number>({ $not: { $gt: limits.joined - joined } }) };
  const { matchedCount } = await rows.updateOne({ _id, ...(joined > 0 ? hasRoom : { used: hasRoom.used }) }, { $inc: { used, joined } });
  if (matchedCount === 1) return true;
  if (used > limits.used || joined > limits.joined || (await rows.findOne({ _id }, { fields: [] })) !== null) return false;
  await rows.insert({ _id, used, joined });
  return true;
}

const mutex = new KeyedMutex();

/**
 * Runs a transaction that changes what an organization stores. Those of one process follow each other: at once, they
 * would conflict over the count. Throws `unavailable` if the caller no longer waits when its turn comes.
 */
export const changeStored = <R>({ org_id, deadlineAt }: FileOwner, work: (tenant: TenantInTransaction) => Promise<R>): Promise<R> =>
  mutex.run(org_id, () => {
    if (deadlineAt !== undefined) assertBeforeDeadline({ deadlineAt });
    return inTransaction(StoredBytesModel, (session) => work({ org_id, session }), { deadlineAt });
  });
