import { apiKeyTexts } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import type { MemberState } from '../members/member.ts';
import { type KeyDraft, type KeyState, openKey } from './key.ts';
import { type KeyHash, newSecret } from './key-secret.ts';
import { insertKey } from './key-store.ts';

type Wanted = Pick<KeyDraft, 'name' | 'permissions'> & { expires_at?: Date | null | undefined };

/** Makes a key of the caller's organization; `creator` is the member who asks, null for an operator. */
export async function makeKey(
  hashOf: KeyHash,
  caller: Caller,
  { expires_at = null, ...wanted }: Wanted,
  creator: MemberState | null,
): Promise<{ key: KeyState; secret: string }> {
  const { secret, kept } = newSecret(hashOf, apiKeyTexts);
  const draft = { _id: newId(caller, 'key'), org_id: caller.principal.org_id, ...wanted, expires_at, ...kept };
  return { key: await insertKey(caller, openKey(draft, creator, new Date())), secret };
}
