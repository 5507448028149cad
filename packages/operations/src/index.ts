export { idempotencyFor, type PreparedOperation, prepareOperation, type Repeatable, requestFor } from './operations.ts';
