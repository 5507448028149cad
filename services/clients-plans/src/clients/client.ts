import { AppError, type Change, type Client, changedFields, type RaisedEvent } from '@webkiln/contract';

/** A client as it is kept. `created_at` is ISO 8601 in UTC, as it is shown. */
export interface ClientState {
  _id: string;
  /** The client's presence in the organization, owner of its projects: fixed at creation, before there is an account. */
  user_id: string;
  email: string;
  /** The email whatever its case: what uniqueness and look-ups go by. */
  email_folded: string;
  name: string | null;
  company: string | null;
  status: Client['status'];
  plan_id: string | null;
  payment_status: Client['payment_status'];
  /** Counts the invitations sent; only the last one's link works. */
  invitation: number;
  /** What asked for the last invitation: a repeat of that request finds its work done. */
  invitation_request: string;
  created_at: string;
}

export type ClientDraft = Pick<ClientState, '_id' | 'user_id' | 'email' | 'name' | 'company' | 'plan_id'>;
export type ShownClient = Omit<ClientState, 'user_id' | 'email_folded' | 'invitation' | 'invitation_request'>;

/** The number of the invitation that a new client gets. */
export const firstInvitation = 1;

const changeable = ['name', 'company', 'status', 'plan_id'] as const satisfies readonly (keyof ClientState)[];
export type ClientFields = Pick<ClientState, (typeof changeable)[number]>;

export const foldEmail = (email: string) => email.toLowerCase();

/** The REST shape. */
export const toClient = (client: ShownClient): Client => ({
  id: client._id,
  email: client.email,
  name: client.name,
  company: client.company,
  status: client.status,
  plan_id: client.plan_id,
  payment_status: client.payment_status,
  created_at: client.created_at,
});

/** A new client starts invited and owes nothing; his first invitation goes out upon client.created. `now` is ISO 8601. */
export function inviteClient(draft: ClientDraft, now: string): Change<ClientState> {
  const client: ClientState = {
    ...draft,
    email_folded: foldEmail(draft.email),
    status: 'invited',
    payment_status: 'none',
    invitation: firstInvitation,
    invitation_request: draft._id,
    created_at: now,
  };
  return { state: client, events: [{ type: 'client.created', data: { client: toClient(client) } }] };
}

/** The change to the wanted fields; null when nothing differs. Any status may follow any other. */
export function changeClient(current: ClientState, wanted: Partial<ClientFields>): Change<Partial<ClientFields>> | null {
  const state = changedFields(current, wanted, changeable);
  if (state === null) return null;
  const before = toClient(current);
  const previous = Object.fromEntries(changeable.filter((field) => field in state).map((field) => [field, before[field]]));
  return { state, events: [{ type: 'client.updated', data: { client: toClient({ ...current, ...state }), previous } }] };
}

/** The next invitation, which ends the link sent before; null when this request has made it already. */
export function inviteAgain(current: ClientState, request: string): Change<Partial<ClientState>> | null {
  if (current.invitation_request === request) return null;
  if (current.status !== 'invited') throw new AppError('invitation_not_pending');
  const invitation = current.invitation + 1;
  const { _id, email, name } = current;
  const invited: RaisedEvent = { type: 'internal.client.invited', data: { client_id: _id, email, name, invitation } };
  return { state: { invitation, invitation_request: request }, events: [invited] };
}

/** Whether its user is let in no more, for the time being or for good. */
export const isPaused = ({ status }: Pick<ClientState, 'status'>): boolean => status === 'suspended' || status === 'churned';

/** Whether the link of this invitation works: the last one's does, until the client is suspended or leaves. It may be followed again. */
export const isOpen = ({ status, invitation }: ClientState, number: number): boolean =>
  invitation === number && (status === 'invited' || status === 'active');
