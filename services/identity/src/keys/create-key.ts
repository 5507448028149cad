import { apiKeyTexts, validate } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { currentMember, forOperators } from '../authorize.ts';
import type { MemberState } from '../members/member.ts';
import { memberById } from '../members/member-store.ts';
import { NewKey, openKey, toKey } from './key.ts';
import { type KeyHash, newSecret } from './key-secret.ts';
import { insertKey } from './key-store.ts';

type FindCreator = (caller: IncomingCaller, createdBy: string | undefined) => Promise<MemberState | null>;

const create = (hashOf: KeyHash, findCreator: FindCreator) => async (request: unknown, caller: IncomingCaller) => {
  const { created_by, expires_at = null, ...wanted } = validate(NewKey, request);
  const creator = await findCreator(caller, created_by);
  const { secret, stored } = newSecret(hashOf, apiKeyTexts);
  const draft = { _id: newId(caller, 'key'), org_id: caller.principal.org_id, ...wanted, expires_at, ...stored };
  const key = await insertKey(caller, openKey(draft, creator, new Date()));
  return { key: toKey(key), secret };
};

/** An operator may name the member that the key is for. */
const namedMember: FindCreator = async (caller, createdBy) => (createdBy === undefined ? null : memberById(caller, createdBy));

/** A member creates keys for itself; an operator for any member, or for none. */
export const createKey = (hashOf: KeyHash) =>
  [
    handle('identity.CreateKey', forOperators(create(hashOf, namedMember))),
    handle('accounts.CreateKey', create(hashOf, currentMember)),
  ] as const;
