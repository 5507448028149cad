import { AppError, type Change, wholeListCap } from '@webkiln/contract';
import { defineModel, gatheredById, gatheredPage, insertChange, isDuplicate, type Scope, type Stored, scoped } from '@webkiln/store';
import { type ClientState, foldEmail } from './client.ts';

export type ClientRecord = Stored<ClientState>;

/** The list is read off an index in its order; emails are unique in the organization by the other. */
export const ClientModel = defineModel<ClientState>(
  'clients',
  {
    user_id: { type: String, required: true },
    email: { type: String, required: true },
    email_folded: { type: String, required: true },
    name: { type: String, default: null },
    company: { type: String, default: null },
    status: { type: String, required: true },
    plan_id: { type: String, default: null },
    payment_status: { type: String, required: true },
    invitation: { type: Number, required: true },
    invitation_request: { type: String, required: true },
    created_at: { type: String, required: true },
  },
  {
    indexes: [[{ org_id: 1, created_at: -1, _id: 1 }], [{ org_id: 1, email_folded: 1 }, { unique: true }]],
  },
);

const shownFields = ['email', 'name', 'company', 'status', 'plan_id', 'payment_status', 'created_at'] as const;

/** The client with what is shown of it; null when the organization has none with this id. */
export const shownClientById = gatheredById(ClientModel, shownFields);

/** The whole client. */
export const clientById = gatheredById(ClientModel);

/** The whole client; throws `client_not_found`. */
export async function existingClient(scope: Scope, id: string): Promise<ClientRecord> {
  const client = await clientById(scope, id);
  if (client === null) throw new AppError('client_not_found');
  return client;
}

/** The email's case does not matter; null when the organization has no such client. */
export const clientByEmail = (scope: Scope, email: string) =>
  scoped(ClientModel, scope).findOne({ email_folded: foldEmail(email) }, { fields: ['user_id', 'status', 'plan_id'] });

const page = gatheredPage(ClientModel, { fields: shownFields, sort: { created_at: -1, _id: 1 } });

/** Newest first, and how many there are in all; without a limit everything up to the cap. */
export const clientPage = (scope: Scope, { limit = wholeListCap, offset }: { limit?: number; offset: number }) =>
  page(scope, {}, { limit, offset });

/** Throws `email_taken` when another client of the organization has the email. */
export async function addClient(scope: Scope, change: Change<ClientState>): Promise<ClientRecord> {
  try {
    return await insertChange(ClientModel, scope, change);
  } catch (error) {
    if (isDuplicate(error, 'email_folded')) throw new AppError('email_taken', [], { cause: error });
    throw error;
  }
}
