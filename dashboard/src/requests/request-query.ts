import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';

export type LoggedRequest = Schemas['LoggedRequest'];

/** Values of `by` that are not the id of a key. */
export const anyKey = 'api_key';
export const dashboardSessions = 'session';
export const anyCredential = 'all';
export const anyStatus = 'all';

export const limit = 25;
const refreshMs = 10_000;

export interface RequestFilter {
  readonly requestId: string;
  readonly by: string;
  readonly status: string;
  readonly offset: number;
}

const credentialFilter = (by: string) => {
  if (by === anyCredential) return {};
  return by === anyKey || by === dashboardSessions ? { credential: by } : { key_id: by };
};

export const requestsQuery = ({ requestId, by, status, offset }: RequestFilter) =>
  queryOptions({
    queryKey: ['requests', requestId, by, status, offset],
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    queryFn: () => {
      const filter = { ...(requestId === '' ? {} : { request_id: requestId }), ...(status === anyStatus ? {} : { status }) };
      return readJson(api.GET('/account/requests', { params: { query: { limit, offset, ...credentialFilter(by), ...filter } } }));
    },
  });
