export { idempotencyFor, type Repeatable } from './idempotency.ts';
export { type PreparedOperation, prepareOperation, requestFor } from './prepared-operation.ts';
