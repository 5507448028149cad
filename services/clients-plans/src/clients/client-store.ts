import { AppError, Client, wholeListCap } from '@webkiln/contract';
import {
  batchedBy,
  batchedById,
  coalescedPage,
  defineModel,
  definitionOf,
  fieldsOf,
  placeIndex,
  type Scope,
  type Stored,
  type WholePage,
} from '@webkiln/store';
import { type ClientState, foldEmail } from './client.ts';

export type ClientRecord = Stored<ClientState>;

/** The first index serves the sorted list; the second makes emails unique within the organization. */
export const ClientModel = defineModel<ClientState>(
  'clients',
  {
    ...definitionOf(Client),
    user_id: { type: String, required: true },
    email_folded: { type: String, required: true },
    invitation: { type: Number, required: true },
    invitation_request: { type: String, required: true },
    joined_by: { type: String, default: null },
    place: { type: Number, default: null },
    joined_place: { type: Number, default: null },
    removed_at: { type: String, default: null },
    is_unpaid: { type: Boolean, default: false },
  },
  {
    exportedAs: 'clients',
    raisesEvents: true,
    indexes: [
      [{ org_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, email_folded: 1 }, { unique: true }],
      placeIndex('place'),
      placeIndex('joined_place'),
    ],
  },
);

const shownFields = fieldsOf(Client);

/** The public fields of a client; null if the organization has no such client. */
export const shownClientById = batchedById(ClientModel, shownFields);

/** All fields of a client, or null. */
export const clientById = batchedById(ClientModel);

/** All fields of a client. Throws `client_not_found`. */
export async function existingClient(scope: Scope, id: string): Promise<ClientRecord> {
  const client = await clientById(scope, id);
  if (client === null) throw new AppError('client_not_found');
  return client;
}

const byFoldedEmail = batchedBy(ClientModel, 'email_folded', ['user_id', 'status', 'plan_id', 'joined_by']);

/** Finds a client by its email, case-insensitively; null if the organization has no such client. */
export const clientByEmail = (scope: Scope, email: string) => byFoldedEmail(scope, foldEmail(email));

const page = coalescedPage(ClientModel, { fields: shownFields, sort: { created_at: -1, _id: 1 } });

/** A page, newest first, and the total; without a limit everything up to the cap. */
export const clientPage = (scope: Scope, { limit = wholeListCap, offset, cursor }: WholePage) => page(scope, {}, { limit, offset, cursor });
