import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Schemas } from '../api/client.ts';

export type LoggedRequest = Schemas['LoggedRequest'];

/** Whose requests are wanted, where it is not a key's id. */
export const everyKey = 'api_key';
export const dashboard = 'session';
export const everybody = 'all';
export const everyStatus = 'all';

export const limit = 25;
const refreshMs = 10_000;

export interface RequestFilter {
  readonly requestId: string;
  readonly by: string;
  readonly status: string;
  readonly offset: number;
}

const whose = (by: string) => {
  if (by === everybody) return {};
  return by === everyKey || by === dashboard ? { credential: by } : { key_id: by };
};

export const requestsQuery = ({ requestId, by, status, offset }: RequestFilter) =>
  queryOptions({
    queryKey: ['requests', requestId, by, status, offset],
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    queryFn: () => {
      const narrowed = { ...(requestId === '' ? {} : { request_id: requestId }), ...(status === everyStatus ? {} : { status }) };
      return answer(api.GET('/account/requests', { params: { query: { limit, offset, ...whose(by), ...narrowed } } }));
    },
  });
