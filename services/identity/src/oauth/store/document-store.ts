import { hash } from 'node:crypto';
import { defineGlobalModel, unscoped } from '@webkiln/store';

/** A client-id metadata document as it was last fetched. `_id` is the SHA-256 of its URL. */
export interface DocumentState {
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
