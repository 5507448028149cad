import { credentialTexts } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { type KeyHash, newSecret } from '../keys/key-secret.ts';
import type { MadeSecret } from './embed-client.ts';

export const embedSecretTexts = credentialTexts('embs_');

/** A new secret for what this request makes or rotates. */
export function makeSecret(hashOf: KeyHash, caller: Caller): { secret: string; made: MadeSecret } {
  const { secret, kept } = newSecret(hashOf, embedSecretTexts);
  return { secret, made: { ...kept, rotation: newId(caller, 'embed secret') } };
}
