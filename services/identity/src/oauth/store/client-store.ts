import { hash, timingSafeEqual } from 'node:crypto';
import { defineGlobalModel, unscoped, where } from '@webkiln/store';
import { registrationLifetimes } from '../resources.ts';

/** A registered client (RFC 7591). `_id` is its client id. */
interface ClientState {
  _id: string;
  /** As JSON; a client secret is kept as its SHA-256. */
  metadata: string;
  created_at: Date;
  expires_at: Date;
}

// Global: a client belongs to no organization until a person connects it.
const ClientModel = defineGlobalModel<ClientState>(
  'oauth_clients',
  { metadata: { type: String, required: true }, created_at: { type: Date, required: true }, expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const after = (seconds: number) => new Date(Date.now() + seconds * 1000);
const digest = (secret: string) => hash('sha256', secret, 'base64url');

/** Adds a registration, which expires unless a person connects the client. */
export async function insertClient(_id: string, { client_secret, ...metadata }: Record<string, unknown>): Promise<void> {
  const kept = typeof client_secret === 'string' ? { ...metadata, client_secret: digest(client_secret) } : metadata;
  const expires_at = after(registrationLifetimes.unused);
  await unscoped(ClientModel).insert({ _id, metadata: JSON.stringify(kept), created_at: new Date(), expires_at });
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

/** Keeps the registration of a client that is in use. */
export const keepClient = (_id: string): Promise<unknown> =>
  unscoped(ClientModel).updateOne({ _id }, { $max: { expires_at: after(registrationLifetimes.used) } });
