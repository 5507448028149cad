export { acrossOrganizations, type Owner } from './across-organizations.ts';
export { type BatchedWrite, writeBatch } from './batched-writes.ts';
export { insertChange, removeChange, saveChange } from './change.ts';
export { connectStore, disconnectStore, storeCheck } from './connection.ts';
export { assertMatches, etagOf, saveWithRetry } from './etag.ts';
export { between, type Condition, containing, type Filter, where } from './filter.ts';
export { gatheredAll, gatheredById, gatheredPage, type Page } from './gathered-reads.ts';
export { gatheredTally } from './gathered-tallies.ts';
export { gatheredInsertion, gatheredUpdate } from './gathered-writes.ts';
export { type GuardedWrite, writeGuarded } from './guarded-writes.ts';
export { idempotencyGuard } from './idempotency.ts';
export { newId } from './ids.ts';
export { ensureIndexes, type Index } from './indexes.ts';
export {
  defineGlobalModel,
  defineModel,
  type GlobalModel,
  type GlobalStored,
  type OrgModel,
  type OutboxEntry,
  type Stored,
  type StoreModel,
} from './model.ts';
export { doneOnce, onlyOnce } from './once.ts';
export { type PublishedEvents, settleOutbox, type WaitingRecord, waitingRecords } from './outbox-store.ts';
export { onOutboxWritten } from './outbox-written.ts';
export type { Scope, Session, Tenant } from './scope.ts';
export { type Access, scoped, type Update, unscoped } from './scoped.ts';
export { isDuplicate } from './store-errors.ts';
