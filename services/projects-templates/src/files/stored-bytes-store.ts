import { KeyedMutex } from '@webkiln/runtime';
import { defineModel, inTransaction, type Session, scoped, type Tenant, where } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';

/** The bytes of an organization's chunks and longer lists of files; `_id` is the organization's. */
interface StoredBytes {
  _id: string;
  org_id: string;
  used: number;
}

const StoredBytesModel = defineModel<StoredBytes>('stored_bytes', { used: { type: Number, required: true } }, { exportedAs: null });

/** Whose files are stored, and the epoch milliseconds until which its caller waits; without them, however long. */
export interface FileOwner extends Tenant {
  readonly deadlineAt?: number;
}

type TenantInTransaction = Tenant & { readonly session: Session };

/** The organization's use of `stored_bytes`. */
export const usedBytes = async (tenant: Tenant): Promise<number> =>
  (await scoped(StoredBytesModel, tenant).findOne({ _id: tenant.org_id }, { fields: ['used'] }))?.used ?? 0;

/**
 * Adds to the count, in the transaction that stores these bytes; a negative number subtracts what it deletes. False,
 * with nothing changed, if the count would exceed `limit`.
 */
export async function addBytes(tenant: TenantInTransaction, bytes: number, limit = Number.POSITIVE_INFINITY): Promise<boolean> {
  const rows = scoped(StoredBytesModel, tenant);
  const _id = tenant.org_id;
  const { matchedCount } = await rows.updateOne({ _id, used: where<number>({ $lte: limit - bytes }) }, { $inc: { used: bytes } });
  if (matchedCount === 1) return true;
  if (bytes > limit || (await rows.findOne({ _id }, { fields: [] })) !== null) return false;
  await rows.insert({ _id, used: bytes });
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
