import type { OrganizationAdmission } from '../standing/standing.ts';
import { isLive, type KeyState } from './key.ts';

/** The fields that introspection reads. */
export type IntrospectedKey = Pick<KeyState, '_id' | 'org_id' | 'permissions' | 'creator_role' | 'expires_at' | 'revoked_at'>;

const invalid = { valid: false, key_id: '', org_id: '', permissions: [] };

/** The introspection result (RFC 7662). Unknown, revoked and expired keys are only reported as invalid. */
export function introspectKey(key: IntrospectedKey | undefined, admission: OrganizationAdmission | undefined, now: Date) {
  if (key === undefined || !isLive(key, now)) return invalid;
  return {
    valid: true,
    key_id: key._id,
    org_id: key.org_id,
    permissions: key.permissions,
    expires_at: key.expires_at?.toISOString(),
    ...admission,
    role: key.creator_role,
  };
}
