import { hash } from 'node:crypto';
import { defineGlobalModel, unscoped } from '@webkiln/store';

/**
 * An authorization request that waits for its person. `_id` is the SHA-256 of its id, which the browser's cookie holds.
 */
interface InteractionState {
  _id: string;
  /** As JSON, without its id. */
  payload: string;
  expires_at: Date;
}

// Global: the person has not signed in yet.
const InteractionModel = defineGlobalModel<InteractionState>(
  'oauth_interactions',
  { payload: { type: String, required: true }, expires_at: { type: Date, required: true } },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const idOf = (uid: string) => hash('sha256', uid, 'base64url');

export const saveInteraction = (uid: string, payload: object, expires_at: Date): Promise<unknown> =>
  unscoped(InteractionModel).updateOne({ _id: idOf(uid) }, { $set: { payload: JSON.stringify(payload), expires_at } }, { upsert: true });

export async function interactionBy(uid: string): Promise<Record<string, unknown> | undefined> {
  const found = await unscoped(InteractionModel).findOne({ _id: idOf(uid) });
  return found === null ? undefined : JSON.parse(found.payload);
}

export const deleteInteraction = (uid: string): Promise<unknown> => unscoped(InteractionModel).deleteOne({ _id: idOf(uid) });
