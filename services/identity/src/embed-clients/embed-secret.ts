import { embedSecretTexts } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { newId } from '@webkiln/store';
import { type KeyHash, newSecret } from '../keys/key-secret.ts';
import type { IssuedSecret } from './embed-client.ts';

/** Issues the secret of a created or rotated embed client. */
export function issueSecret(hashOf: KeyHash, caller: Caller): { secret: string; issued: IssuedSecret } {
  const { secret, stored } = newSecret(hashOf, embedSecretTexts);
  return { secret, issued: { ...stored, rotation: newId(caller, 'embed secret') } };
}
