import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Schemas } from '../api/client.ts';

export type Analytics = Schemas['Analytics'];

const refreshMs = 30_000;

/** What was visited in the last `days`, today included: of all published sites, or of one project. */
export const analyticsQuery = (query: { days: number; project_id?: string }) =>
  queryOptions({
    queryKey: ['analytics', query],
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    queryFn: () => answer(api.GET('/analytics', { params: { query } })).then(({ analytics }) => analytics),
  });
