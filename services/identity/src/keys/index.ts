import { createKey } from './create-key.ts';
import type { KeyHash } from './key-secret.ts';
import { listKeys } from './list-keys.ts';
import { recordKeyUse } from './record-key-use.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { verifyKeys } from './verify-keys.ts';

export const keyUseCases = (hashOf: KeyHash) => [
  ...createKey(hashOf),
  ...listKeys,
  ...rotateKey(hashOf),
  ...revokeKey,
  verifyKeys(hashOf),
  recordKeyUse,
];
