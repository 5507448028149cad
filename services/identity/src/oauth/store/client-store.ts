import { hash, timingSafeEqual } from 'node:crypto';
import { defineGlobalModel, isDuplicate, unscoped, where } from '@webkiln/store';
import { lifetimes, registrationLifetimes } from '../resources.ts';

/** A registered client (RFC 7591). `_id` is its client id. */
interface ClientState {
  _id: string;
  /** As JSON; a client secret is kept as its SHA-256. */
  metadata: string;
  created_at: Date;
  expires_at: Date;
  /** True once a person allowed it something. */
  is_connected: boolean;
  /** A person who is signed in has its consent page open until then, at the latest. */
  deciding_until: Date | null;
}

// Global: a client belongs to no organization until a person connects it.
const ClientModel = defineGlobalModel<ClientState>(
  'oauth_clients',
  {
    metadata: { type: String, required: true },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    is_connected: { type: Boolean, required: true },
    deciding_until: { type: Date, default: null },
  },
  {
    indexes: [
      [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
      [{ is_connected: 1, created_at: 1, _id: 1 }, { partialFilterExpression: { is_connected: false } }],
    ],
  },
);

const after = (seconds: number) => new Date(Date.now() + seconds * 1000);
const digest = (secret: string) => hash('sha256', secret, 'base64url');

/** Adds a registration, which expires unless a person connects the client. */
export async function insertClient(_id: string, { client_secret, ...metadata }: Record<string, unknown>): Promise<void> {
  const kept = typeof client_secret === 'string' ? { ...metadata, client_secret: digest(client_secret) } : metadata;
  const expires_at = after(registrationLifetimes.unused);
  const fresh = { created_at: new Date(), expires_at, is_connected: false, deciding_until: null };
  await unscoped(ClientModel).insert({ _id, metadata: JSON.stringify(kept), ...fresh });
}

/** Its metadata, with the SHA-256 of its secret in the secret's place; undefined if it is unknown or has expired. */
export async function clientBy(_id: string): Promise<Record<string, unknown> | undefined> {
  const client = await unscoped(ClientModel).findOne({ _id, expires_at: where({ $gt: new Date() }) });
  return client === null ? undefined : JSON.parse(client.metadata);
}

/** Secrets are 512 random bits, so a fast hash is enough. */
export function secretMatches(stored: string | undefined, given: string): boolean {
  const [known, offered] = [Buffer.from(stored ?? ''), Buffer.from(digest(given))];
  return known.length === offered.length && timingSafeEqual(known, offered);
}

/** Keeps the registration of a client that is in use. False if it is gone. */
export async function keepClient(_id: string): Promise<boolean> {
  const change = { $set: { is_connected: true }, $max: { expires_at: after(registrationLifetimes.used) } };
  return (await unscoped(ClientModel).updateOne({ _id }, change)).matchedCount === 1;
}

/** Records that a person is deciding about the client. */
export const noteDeciding = (_id: string): Promise<unknown> =>
  unscoped(ClientModel).updateOne({ _id, is_connected: false }, { $max: { deciding_until: after(lifetimes.interaction) } });

/** Registrations that nobody connected, newest first, without the newest `skip`. */
export const unusedBeyond = (skip: number, limit: number): Promise<Pick<ClientState, '_id' | 'deciding_until'>[]> =>
  unscoped(ClientModel).find({ is_connected: false }, { sort: { created_at: -1, _id: -1 }, skip, limit, fields: ['deciding_until'] });

/** Deletes those of these registrations that nobody has connected meanwhile. */
export const deleteUnused = (ids: readonly string[]): Promise<unknown> =>
  unscoped(ClientModel).deleteMany({ _id: where({ $in: [...ids] }), is_connected: false });

/** A client-id metadata document as it was last fetched. `_id` is the SHA-256 of its URL. */
interface DocumentState {
  _id: string;
  url: string;
  body: string;
  fetched_at: Date;
  expires_at: Date;
}

const keptMs = 30 * 24 * 3_600_000;

// Global: a client belongs to no organization.
const DocumentModel = defineGlobalModel<DocumentState>(
  'oauth_documents',
  {
    url: { type: String, required: true },
    body: { type: String, required: true },
    fetched_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const idOf = (url: string) => hash('sha256', url, 'base64url');

export const documentAt = (url: string): Promise<Pick<DocumentState, 'body' | 'fetched_at'> | null> =>
  unscoped(DocumentModel).findOne({ _id: idOf(url) });

export const saveDocument = (url: string, body: string, fetched_at: Date): Promise<unknown> =>
  unscoped(DocumentModel).updateOne(
    { _id: idOf(url) },
    { $set: { url, body, fetched_at, expires_at: new Date(fetched_at.getTime() + keptMs) } },
    { upsert: true },
  );

// Global: a client belongs to no organization. `_id` is a hash of the client and the assertion's `jti`.
const AssertionModel = defineGlobalModel<{ _id: string; expires_at: Date }>(
  'oauth_assertions',
  { expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Remembers an assertion until it expires. False if it was used before: of concurrent uses one gets true. */
export async function useAssertion(_id: string, expires_at: Date): Promise<boolean> {
  try {
    await unscoped(AssertionModel).insert({ _id, expires_at });
    return true;
  } catch (error) {
    if (isDuplicate(error, '_id')) return false;
    throw error;
  }
}
