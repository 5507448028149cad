import type { Permission, SessionRole } from '@webkiln/contract';
import { call } from '@webkiln/rpc';
import { type Answer, asker } from './verdicts.ts';

const never = Number.POSITIVE_INFINITY;

/** What identity says of keys, by their digests. */
export async function askAboutKeys(digests: readonly string[]): Promise<Answer[]> {
  const checkedAt = Date.now();
  const { verdicts } = await call('identity.VerifyKeys', { key_digests: digests }, asker());
  return verdicts.map(({ valid, key_id, org_id, permissions, expires_at, rate_limit, role }): Answer => {
    if (!valid) return undefined;
    return {
      principal: {
        kind: 'api_key',
        org_id,
        credential_id: key_id,
        permissions: permissions as Permission[],
        ...(role !== undefined && { role: role as SessionRole }),
      },
      expiresAt: expires_at === undefined ? never : Date.parse(expires_at),
      rateLimit: rate_limit,
      checkedAt,
    };
  });
}

const readers: readonly Permission[] = ['read'];
const writers: readonly Permission[] = ['read', 'write'];
const writingRoles: ReadonlySet<string | undefined> = new Set(['owner', 'admin', 'developer']);

/** What identity says of sessions, by their tokens' digests. */
export async function askAboutSessions(digests: readonly string[]): Promise<Answer[]> {
  const checkedAt = Date.now();
  const { verdicts } = await call('identity.VerifySessions', { session_digests: digests }, asker());
  return verdicts.map(({ valid, session_id, account_id, org_id, role, user_id, client_id, expires_at }): Answer => {
    if (!valid) return undefined;
    const permissions = writingRoles.has(role) ? writers : readers;
    const person = { account_id, role: role as SessionRole | undefined, user_id, client_id };
    return {
      principal: { kind: 'session', org_id, credential_id: session_id, permissions, ...person },
      expiresAt: Date.parse(expires_at),
      rateLimit: undefined,
      checkedAt,
    };
  });
}
