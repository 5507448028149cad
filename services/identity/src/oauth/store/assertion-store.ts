import { defineGlobalModel, isDuplicate, unscoped } from '@webkiln/store';

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
