import {
  AppError,
  type AuditAction,
  type AuditedAct,
  Client,
  changedFields,
  createProjection,
  inputFields,
  type StateOf,
  updateClient,
} from '@webkiln/contract';
import { auditEvent, type Caller, Change, type RaisedEvent } from '@webkiln/messages';

/** A stored client. `created_at` is ISO 8601 in UTC, as in the public record. */
export interface ClientState extends StateOf<typeof Client> {
  /** The id of the client's user, which owns its projects. It is fixed at creation, before the account exists. */
  user_id: string;
  /** The email in lower case, for uniqueness and look-ups. */
  email_folded: string;
  /** Counts the invitations sent; only the last one's link works. */
  invitation: number;
  /** The id of the request for the last invitation, by which a retry recognizes its own work. */
  invitation_request: string;
  /** The build link by which it became a client of its own accord; null for a client of the organization itself. */
  joined_by?: string | null;
  /** Its place in the organization's quota, and in the share of those who joined by a link. */
  place?: number | null;
  joined_place?: number | null;
  /** True while it is suspended because its subscription ended: a payment lets it in again. */
  is_unpaid?: boolean;
  /** When the organization removed it. It has no places then. ISO 8601. */
  removed_at?: string | null;
}

type ClientDraft = Pick<ClientState, '_id' | 'user_id' | 'email' | 'name' | 'company' | 'plan_id'>;

/** The number of a new client's invitation. */
export const firstInvitation = 1;
const noInvitation = 0;

const changeable = inputFields(updateClient);
export type ClientFields = Pick<ClientState, (typeof changeable)[number]>;

export const foldEmail = (email: string) => email.toLowerCase();

/** The public record. */
export const toClient = createProjection(Client);

/**
 * A new client is invited and owes nothing. The consumer of client.created mails the first invitation. `now` is ISO
 * 8601.
 */
export function inviteClient(draft: ClientDraft, now: string): Change<ClientState> {
  const client: ClientState = {
    ...draft,
    email_folded: foldEmail(draft.email),
    status: 'invited',
    payment_status: 'none',
    joined_by: null,
    invitation: firstInvitation,
    invitation_request: draft._id,
    created_at: now,
  };
  return new Change(client, [{ type: 'client.created', data: { client: toClient(client) } }]);
}

/**
 * A client who has an account already: it is active, and no invitation is mailed. It came by a link of the agency
 * (`joined_by`), or is the agency itself (null).
 */
export function activeClient(draft: ClientDraft, joined_by: string | null, now: string): Change<ClientState> {
  const client: ClientState = { ...inviteClient(draft, now).state, status: 'active', invitation: noInvitation, joined_by };
  return new Change(client, [{ type: 'client.created', data: { client: toClient(client) } }]);
}

/** The audit event of an act on a client. */
export const clientAudited = (caller: Caller, action: AuditAction, { _id, name, email }: ClientState, actor?: AuditedAct['actor']) =>
  auditEvent(caller, action, { kind: 'client', id: _id, name: name ?? email }, actor);

/** What payments alone move. */
type Paid = Partial<Pick<ClientState, 'payment_status' | 'is_unpaid'>>;

/** What payments change of a client. */
export type BilledFields = Paid & Partial<Pick<ClientState, 'plan_id' | 'status'>>;

type ClientChange = Partial<ClientFields & Pick<ClientState, 'joined_by' | 'removed_at'>> & Paid;

const moving = [...changeable, 'payment_status'] as const;

/**
 * The change to the wanted fields, and to what payments move; null if nothing changes. Any status may follow any other.
 * A client that was removed comes back as one of the organization's own.
 */
export function changeClient(
  current: ClientState,
  wanted: Partial<ClientFields>,
  { payment_status = current.payment_status, is_unpaid = false }: Paid = {},
): Change<ClientChange> | null {
  const fields = changedFields(current, wanted, changeable);
  const paid = changedFields(current, { payment_status }, ['payment_status'] as const);
  if (fields === null && paid === null) return null;
  const state: ClientChange = {
    ...fields,
    ...paid,
    ...(fields?.status !== undefined && is_unpaid !== (current.is_unpaid ?? false) && { is_unpaid }),
    ...(comesBack(current, wanted) && { joined_by: null, removed_at: null }),
  };
  const before = toClient(current);
  const previous = Object.fromEntries(moving.filter((field) => field in state).map((field) => [field, before[field]]));
  return new Change(state, [{ type: 'client.updated', data: { client: toClient({ ...current, ...state }), previous } }]);
}

/** True if the change lets a client in again that was removed: it then needs a place. */
export const comesBack = ({ removed_at = null }: ClientState, { status }: Partial<ClientFields>): boolean =>
  removed_at !== null && status !== undefined && !isPaused({ status });

/**
 * Removes a client who joined by a link; null if it is removed already. It leaves its places to others. Throws
 * `client_not_joined`.
 */
export function removeJoinedClient(
  current: ClientState,
  now: string,
  { payment_status = current.payment_status }: Paid = {},
): Change<Partial<ClientState>> | null {
  if (!current.joined_by) throw new AppError('client_not_joined');
  if (current.removed_at) return null;
  const events = changeClient(current, { status: 'churned' }, { payment_status })?.events ?? [];
  return new Change({ status: 'churned' as const, payment_status, removed_at: now, place: null, joined_place: null }, events);
}

/**
 * The next invitation, which invalidates the previous link; null if an earlier attempt of this request sent it. A
 * client that the agency made active is invited until its user can sign in (`activated`).
 */
export function inviteAgain(current: ClientState, request: string, activated: boolean): Change<Partial<ClientState>> | null {
  if (current.invitation_request === request) return null;
  if (activated || isPaused(current)) throw new AppError('invitation_not_pending');
  const invitation = current.invitation + 1;
  const { _id, email, name } = current;
  const invited: RaisedEvent = { type: 'internal.client.invited', data: { client_id: _id, email, name, invitation } };
  return new Change({ invitation, invitation_request: request }, [invited]);
}

/** True if the client's user has no access. */
export const isPaused = ({ status }: Pick<ClientState, 'status'>): boolean => status === 'suspended' || status === 'churned';

/** The access that a stored client gives its user, for identity. */
export const accessOf = (client: ClientState & { readonly revision: number }) => ({
  user_id: client.user_id,
  paused: isPaused(client),
  joined_by_link: Boolean(client.joined_by),
  client_revision: client.revision,
});

/**
 * True if the link of this invitation works: only the last one's does, repeatedly, until the client is suspended or
 * leaves.
 */
export const isOpen = ({ status, invitation }: ClientState, number: number): boolean =>
  invitation === number && (status === 'invited' || status === 'active');
