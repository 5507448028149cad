import {
  AppError,
  changedFields,
  createProjection,
  GraceHours,
  includesRole,
  inputFields,
  Key,
  Name,
  type Permission,
  permissions,
  type Role,
  type StateOf,
  updateKey,
  withDates,
} from '@webkiln/contract';
import { Change, type RaisedEvent } from '@webkiln/messages';
import * as z from 'zod';
import type { OrganizationAdmission } from '../organizations/org-policy.ts';
import type { StoredSecret } from './key-secret.ts';

export const StoredKey = withDates(Key);

/** A stored API key, without its text (see key-secret.ts). */
export interface KeyState extends Omit<StateOf<typeof StoredKey>, 'allowed_networks' | 'rate_limit' | 'client_id' | 'project_id'> {
  /** Absent in keys of before there were bounds of a key's own; so is the rate limit. */
  allowed_networks?: string[];
  rate_limit?: number | null;
  /** Absent in keys of before a key could be restricted to a client or a project. */
  client_id?: string | null;
  project_id?: string | null;
  /** In place of `permissions` if it is of one client or project: the release before knows neither bound. */
  restricted_permissions?: Permission[];
  org_id: string;
  hash: string;
  /** Its place in the organization's quota; null once it is revoked, replaced or expired. */
  place?: number | null;
}

type KeyDraft = Pick<KeyState, '_id' | 'org_id' | 'name' | 'permissions' | 'expires_at' | keyof Bounds> & StoredSecret;
/** Who manages the organization: a member in its session, or a key and the member who answers for it. */
export interface Actor {
  /** The member's id; null for a key that an operator made. */
  readonly _id: string | null;
  readonly role: Role;
  /** The key that acts; absent in a session. */
  readonly key?: KeyState;
}

type Lifetime = Pick<KeyState, 'revoked_at' | 'expires_at'>;

const hourMs = 3_600_000;

const inOrder = (named: readonly Permission[]) => permissions.filter((permission) => named.includes(permission));
const withoutDuplicates = (networks: readonly string[] = []) => [...new Set(networks)];

export const NewKey = z.object({
  name: Name,
  permissions: z
    .array(z.enum(permissions, { error: `must be one of ${permissions.join(', ')}` }))
    .min(1, 'must name at least one permission')
    .transform(inOrder),
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 time' })
    .transform((time) => new Date(time))
    .optional(),
  created_by: z.string().optional(),
  allowed_networks: z.array(z.string()).optional().transform(withoutDuplicates),
  rate_limit: z.int().nullish(),
  client_id: z.string().nullish(),
  project_id: z.string().toLowerCase().nullish(),
});

export const Grace = z.object({ grace_hours: GraceHours });

const projection = createProjection(StoredKey);

/** The public record. */
export const toKey = (key: KeyState) => projection({ ...key, ...boundsOf(key), permissions: permissionsOf(key) });

type Bounds = Pick<KeyState, 'allowed_networks' | 'rate_limit' | 'client_id' | 'project_id'>;

const boundsOf = ({ allowed_networks = [], rate_limit = null, client_id = null, project_id = null }: Bounds) => ({
  allowed_networks: [...allowed_networks],
  rate_limit,
  client_id,
  project_id,
});

type Permitted = Pick<KeyState, 'permissions' | 'restricted_permissions'>;

const permissionsOf = ({ permissions: open, restricted_permissions = [] }: Permitted) => inOrder([...open, ...restricted_permissions]);

/** Permissions as they are stored, and told to gateways. */
const storedPermissions = (named: readonly Permission[], { client_id, project_id }: Bounds) =>
  client_id || project_id
    ? { permissions: [], restricted_permissions: [...named] }
    : { permissions: [...named], restricted_permissions: [] };

/**
 * A rotation shows the key's text, so only who may do all that the key may rotates or revokes it: a member by its role,
 * a key also by its own permissions and bounds. A key that an operator made has every role. Throws `role_missing`,
 * naming the role that is missing, or `permission_missing`.
 */
export function assertMayManageKey({ role, key: own }: Pick<Actor, 'role' | 'key'>, wanted: Worth & Pick<KeyState, 'creator_role'>): void {
  const needed = wanted.creator_role ?? 'owner';
  if (!includesRole(role, needed)) {
    const bound = wanted.creator_role === null ? 'was made by an operator of the platform' : `has the rights of the role ${needed}`;
    const message = `This key ${bound}, and your role is ${role}: ask a member whose role is ${needed}`;
    throw new AppError('role_missing', [{ path: '', message }]);
  }
  if (own !== undefined) assertNotWorthMore(wanted, own);
}

/** What decides how much a key may, besides its role. */
type Worth = Permitted & Pick<KeyState, 'expires_at'> & Bounds;

/** Throws `permission_missing` and says in which way one key would be worth more than the one that asks for it. */
function assertNotWorthMore(wanted: Worth, own: Worth): void {
  const refuse = (path: string, message: string) => {
    throw new AppError('permission_missing', [{ path, message: `${message}: a key manages no key that may more than itself` }]);
  };
  const held = permissionsOf(own);
  const missing = permissionsOf(wanted).find((permission) => !held.includes(permission));
  if (missing !== undefined) refuse('permissions', `your own key lacks \`${missing}\``);
  if (own.expires_at !== null && (wanted.expires_at === null || wanted.expires_at > own.expires_at))
    refuse('expires_at', `your own key expires at ${own.expires_at.toISOString()}`);
  const [bounds, ownBounds] = [boundsOf(wanted), boundsOf(own)];
  const networks = ownBounds.allowed_networks;
  const isWithin = bounds.allowed_networks.length > 0 && bounds.allowed_networks.every((network) => networks.includes(network));
  if (networks.length > 0 && !isWithin) refuse('allowed_networks', `your own key works from ${networks.join(', ')} alone`);
  if (ownBounds.rate_limit !== null && (bounds.rate_limit ?? Number.POSITIVE_INFINITY) > ownBounds.rate_limit)
    refuse('rate_limit', `your own key has ${ownBounds.rate_limit}`);
}

/** A key of one client or project manages nothing of the organization. */
function assertFit(named: readonly Permission[], { client_id, project_id }: Bounds): void {
  if (client_id && project_id) throw invalid('project_id', 'does not go with client_id: name one of them');
  const bound = client_id ? 'client_id' : project_id && 'project_id';
  const area = named.find((permission) => permission !== 'read' && permission !== 'write');
  if (bound && area !== undefined) throw invalid('permissions', `\`${area}\` does not go with ${bound}: only read and write do`);
}

/** Creates a key's state. Viewers cannot create keys. */
export function openKey(draft: KeyDraft, creator: Actor | null, now: Date): KeyState {
  if (creator?.role === 'viewer') throw invalid('created_by', 'is a viewer: viewers make no keys');
  if (draft.expires_at !== null && draft.expires_at <= now) throw invalid('expires_at', 'must be in the future');
  assertFit(draft.permissions, draft);
  if (creator !== null) assertMayManageKey(creator, { ...draft, creator_role: creator.role });
  return {
    ...draft,
    ...boundsOf(draft),
    ...storedPermissions(draft.permissions, draft),
    created_by: creator?._id ?? null,
    creator_role: creator?.role ?? null,
    created_at: now,
    last_used_at: null,
    revoked_at: null,
    replaced_by: null,
    rotated_by: null,
  };
}

const changeable = inputFields(updateKey);
export type KeyFields = Pick<KeyState, (typeof changeable)[number]>;

/** Changes a live key; null if nothing changes. */
export function changeKey(current: KeyState, { permissions: named, allowed_networks: networks, ...wanted }: Partial<KeyFields>, now: Date) {
  if (!isLive(current, now)) throw invalid('key_id', 'is revoked or expired: create a new key instead');
  assertFit(named ?? [], current);
  const fields: Partial<KeyFields> = {
    ...wanted,
    ...(named && { permissions: inOrder(named) }),
    ...(networks && { allowed_networks: withoutDuplicates(networks) }),
  };
  const change = changedFields({ ...current, ...boundsOf(current), permissions: permissionsOf(current) }, fields, changeable);
  const stored = { ...change, ...(change?.permissions && storedPermissions(change.permissions, current)) };
  return change && new Change<Partial<KeyState>>(stored, [changed(current)]);
}

/**
 * The successor of a live key: the same but for its secret, times, and the member who rotates it; null for an operator.
 * A retried rotation passes the same id and finds the old key already replaced.
 */
export function successorOf(
  current: KeyState,
  { _id, rotated_by, ...stored }: Pick<KeyState, '_id' | 'rotated_by'> & StoredSecret,
  now: Date,
): KeyState {
  if (current.replaced_by !== _id) {
    if (!isLive(current, now)) throw invalid('key_id', 'is revoked or expired: create a new key instead');
    if (current.replaced_by !== null) throw invalid('key_id', 'was rotated already: rotate the key that replaced it');
  }
  const kept = { ...current, ...boundsOf(current), ...storedPermissions(permissionsOf(current), current) };
  return { ...kept, ...stored, _id, rotated_by, created_at: now, last_used_at: null, replaced_by: null };
}

/** The old key works for the grace period, but never beyond its own expiry. */
export function replaceKey(current: KeyState, successorId: string, graceHours: number, now: Date): Change<Partial<KeyState>> {
  if (current.replaced_by === successorId) return new Change({}, []);
  const graceEnd = new Date(now.getTime() + graceHours * hourMs);
  const expires_at = current.expires_at !== null && current.expires_at < graceEnd ? current.expires_at : graceEnd;
  return new Change({ replaced_by: successorId, expires_at }, [changed(current)]);
}

/** Revoking a revoked key changes nothing and raises no event. */
export function revokeKey(current: KeyState, now: Date): Change<Partial<KeyState>> {
  return current.revoked_at === null ? new Change({ revoked_at: now }, [changed(current)]) : new Change({}, []);
}

export const isLive = ({ revoked_at, expires_at }: Lifetime, now: Date) => revoked_at === null && (expires_at === null || expires_at > now);

const changed = ({ _id, org_id }: KeyState): RaisedEvent => ({ type: 'internal.key.changed', data: { key_id: _id, org_id } });

const invalid = (path: string, message: string) => new AppError('validation_failed', [{ path, message }]);

/** The fields that introspection reads. */
export type IntrospectedKey = Pick<
  KeyState,
  '_id' | 'org_id' | keyof Permitted | 'creator_role' | 'expires_at' | 'revoked_at' | keyof Bounds
>;

const invalidKey = { valid: false, key_id: '', org_id: '', permissions: [], restricted_permissions: [] };

/** The introspection result (RFC 7662). Unknown, revoked and expired keys are only reported as invalid. */
export function introspectKey(
  key: IntrospectedKey | undefined,
  admission: Pick<OrganizationAdmission, 'rate_limit' | 'suspended' | 'requests_limit'> | undefined,
  now: Date,
) {
  if (key === undefined || !isLive(key, now)) return invalidKey;
  const { client_id, project_id } = key;
  return {
    valid: true,
    key_id: key._id,
    org_id: key.org_id,
    ...(client_id && { client_id }),
    ...(project_id && { project_id }),
    ...storedPermissions(permissionsOf(key), key),
    expires_at: key.expires_at?.toISOString(),
    rate_limit: admission?.rate_limit,
    suspended: admission?.suspended,
    requests_limit: admission?.requests_limit,
    role: key.creator_role,
    allowed_networks: key.allowed_networks ?? [],
    key_rate_limit: key.rate_limit,
  };
}
