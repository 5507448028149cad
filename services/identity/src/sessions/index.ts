import type { KeyHash } from '../keys/key-secret.ts';
import { endSession } from './end-session.ts';
import { getSession } from './get-session.ts';
import { listSessions } from './list-sessions.ts';
import { switchOrganization } from './switch-organization.ts';
import { verifySessions } from './verify-sessions.ts';

export const sessionUseCases = (hashOf: KeyHash) => [verifySessions(hashOf), getSession, switchOrganization, listSessions, endSession];
