import { type ErrorCode, errorCatalogue, type LoggedRequest, momentOf, requestCredentials, statusClasses } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { emailsOf } from '../accounts/account-store.ts';
import { allKeys, keysById } from '../keys/key-store.ts';
import { clientNamesBy } from '../oauth/store/grant-store.ts';
import { type RequestState, toRequest } from './request-chunk.ts';
import { type RequestFilter, requestPage } from './request-store.ts';
import { firstDay, usageOf } from './usage.ts';
import { usageSince } from './usage-store.ts';

const getUsage = handle('accounts.GetUsage', async ({ days }, caller) => {
  const first = firstDay(Date.now(), days);
  const [counted, keys] = await Promise.all([usageSince(caller, first), allKeys(caller)]);
  return { usage: usageOf(counted, first, days, new Map(keys.map((key) => [key._id, key]))) };
});

const listRequests = handle('accounts.ListRequests', async (request, caller) => {
  const filter = requestFilterOf(request);
  if (filter === null) return { requests: [], total: 0 };
  const { requests, total } = await requestPage(caller, filter, request);
  const credentialOf = await displayedCredentials(caller, requests);
  return {
    requests: requests.map((logged) => ({ ...toRequest(logged), credential: credentialOf(logged), message: messageOf(logged) })),
    total,
  };
});

/** Null for a success, and for a code of an earlier release. */
const messageOf = ({ code }: RequestState): string | null =>
  code !== null && Object.hasOwn(errorCatalogue, code) ? errorCatalogue[code as ErrorCode].message : null;

/** Null for a filter that no request can match. */
function requestFilterOf(request: IncomingRequest<'accounts.ListRequests'>): RequestFilter | null {
  const { request_id, key_id: credential_id, credential, status, after, before } = request;
  const kind = requestCredentials.find((known) => known === credential);
  const status_class = statusClasses.find((known) => known === status);
  const [from, to] = [momentOf(after), momentOf(before)];
  if (kind !== credential || status_class !== status || from === null || to === null) return null;
  return { request_id, credential_id, kind, status_class, from, to };
}

/**
 * Loads the display names of the requests' credentials: a key's name, the email of a session's account, an agent's
 * name.
 */
async function displayedCredentials(
  caller: Caller,
  requests: readonly RequestState[],
): Promise<(request: RequestState) => LoggedRequest['credential']> {
  const idsOf = (kind: RequestState['kind']) => [
    ...new Set(requests.filter((request) => request.kind === kind).map(({ credential_id }) => credential_id)),
  ];
  const [keys, emails, agents] = await Promise.all([
    keysById(caller, idsOf('api_key')),
    emailsOf(idsOf('session')),
    clientNamesBy(caller.principal.org_id, idsOf('oauth_token')),
  ]);
  return ({ kind, credential_id: id }) => {
    const { name = null, prefix = null } = keys.get(id) ?? {};
    return { kind, id, name: name ?? emails.get(id) ?? agents.get(id) ?? null, prefix };
  };
}

export const requestUseCases = [getUsage, listRequests];
