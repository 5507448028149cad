import type { LoggedRequest } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { emailsOf } from '../accounts/account-store.ts';
import { keysById } from '../keys/key-store.ts';
import type { RequestState } from './request-chunk.ts';

/** How to show whose requests these are: keys by their name, people by their address. */
export async function credentialsOf(
  caller: Caller,
  requests: readonly RequestState[],
): Promise<(request: RequestState) => LoggedRequest['credential']> {
  const idsOf = (kind: RequestState['kind']) => [
    ...new Set(requests.filter((request) => request.kind === kind).map(({ credential_id }) => credential_id)),
  ];
  const [keys, emails] = await Promise.all([keysById(caller, idsOf('api_key')), emailsOf(idsOf('session'))]);
  return ({ kind, credential_id: id }) => {
    const { name = null, prefix = null } = keys.get(id) ?? {};
    return { kind, id, name: kind === 'api_key' ? name : (emails.get(id) ?? null), prefix };
  };
}
