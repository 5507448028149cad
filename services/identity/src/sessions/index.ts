import type { KeyHash } from '../keys/key-secret.ts';
import { verifySessions } from './verify-sessions.ts';

export const sessionUseCases = (hashOf: KeyHash) => [verifySessions(hashOf)];
