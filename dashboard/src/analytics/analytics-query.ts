import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';

export type Analytics = Schemas['Analytics'];

const refreshMs = 30_000;

/** Analytics of the last `days` including today, for all published sites or one project. */
export const analyticsQuery = (query: { days: number; project_id?: string }) =>
  queryOptions({
    queryKey: ['analytics', query],
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    queryFn: () => readJson(api.GET('/analytics', { params: { query } })).then(({ analytics }) => analytics),
  });
