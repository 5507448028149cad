import { isLive, type KeyState } from './key.ts';

/** What the verdict on a key is made of. */
export type JudgedKey = Pick<KeyState, '_id' | 'org_id' | 'permissions' | 'creator_role' | 'expires_at' | 'revoked_at'>;

const refused = { valid: false, key_id: '', org_id: '', permissions: [] };

/** What gateways are told: of a key that does not work no more than that, be it unknown, revoked or expired. */
export function verdictOn(key: JudgedKey | undefined, rateLimit: number | null, now: Date) {
  if (key === undefined || !isLive(key, now)) return refused;
  return {
    valid: true,
    key_id: key._id,
    org_id: key.org_id,
    permissions: key.permissions,
    expires_at: key.expires_at?.toISOString(),
    rate_limit: rateLimit,
    role: key.creator_role,
  };
}
