import { momentOf, requestCredentials, statusClasses } from '@webkiln/contract';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { credentialsOf } from '../requests/request-credentials.ts';
import { requestPage, type WantedRequests } from '../requests/request-store.ts';

export const listRequests = handle('accounts.ListRequests', async (request, caller) => {
  const wanted = wantedBy(request);
  if (wanted === null) return { requests: [], total: 0 };
  const { requests, total } = await requestPage(caller, wanted, request);
  const shownCredential = await credentialsOf(caller, requests);
  const shown = requests.map((logged) => ({
    id: logged.id,
    request_id: logged.request_id,
    at: logged.at.toISOString(),
    credential: shownCredential(logged),
    method: logged.method,
    route: logged.route,
    status: logged.status,
    duration_ms: logged.duration_ms,
    code: logged.code,
  }));
  return { requests: shown, total };
});

/** Null for what no request can match. */
function wantedBy(asked: IncomingRequest<'accounts.ListRequests'>): WantedRequests | null {
  const { request_id, key_id: credential_id, credential, status, after, before } = asked;
  const kind = requestCredentials.find((known) => known === credential);
  const status_class = statusClasses.find((known) => known === status);
  const [from, to] = [momentOf(after), momentOf(before)];
  if (kind !== credential || status_class !== status || from === null || to === null) return null;
  return { request_id, credential_id, kind, status_class, from, to };
}
