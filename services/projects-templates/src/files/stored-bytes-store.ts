import { Turns } from '@webkiln/runtime';
import { defineModel, inTransaction, type Session, scoped, type Tenant, where } from '@webkiln/store';

/** What an organization's chunks take, `_id` is the organization's. */
interface StoredBytes {
  _id: string;
  org_id: string;
  used: number;
}

const StoredBytesModel = defineModel<StoredBytes>('stored_bytes', { used: { type: Number, required: true } });

type Changing = Tenant & { readonly session: Session };

/** What the organization has used of `stored_bytes`. */
export const usedBytes = async (tenant: Tenant): Promise<number> =>
  (await scoped(StoredBytesModel, tenant).findOne({ _id: tenant.org_id }, { fields: ['used'] }))?.used ?? 0;

/** In the transaction that stores or deletes these bytes. False, with nothing changed, if that would exceed `limit`. */
export async function addBytes(tenant: Changing, bytes: number, limit = Number.POSITIVE_INFINITY): Promise<boolean> {
  const [rows, _id] = [scoped(StoredBytesModel, tenant), tenant.org_id];
  const { matchedCount } = await rows.updateOne({ _id, used: where<number>({ $lte: limit - bytes }) }, { $inc: { used: bytes } });
  if (matchedCount === 1) return true;
  if (bytes > limit || (await rows.findOne({ _id }, { fields: [] })) !== null) return false;
  await rows.insert({ _id, used: bytes });
  return true;
}

const turns = new Turns();

/**
 * Runs a transaction that changes what an organization stores. Those of one process follow each other: at once, they
 * would conflict over the count.
 */
export const changeStored = <R>({ org_id }: Tenant, work: (tenant: Changing) => Promise<R>): Promise<R> =>
  turns.take(org_id, () => inTransaction(StoredBytesModel, (session) => work({ org_id, session })));
